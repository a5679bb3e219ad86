// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the result shape of every kind of operator, or the reason why it has no valid shape.
// Why:   shapes come from untrusted files. The arithmetic is free of IR, so that each rule can be tested separately.
// How:   plain functions from dimensions to dimensions. Attributes are checked here, too, because a rule is only right
//        for the attributes that it has checked.

#ifndef NACRE_DIALECTS_NN_SHAPES_SHAPERULES_H
#define NACRE_DIALECTS_NN_SHAPES_SHAPERULES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>

namespace nacre::nn {

using Dims = llvm::ArrayRef<int64_t>;
using Shape = llvm::SmallVector<int64_t>;

/// Returns the number of elements of a shape, or `nullopt` if no memory can hold them (2^48 is the limit).
std::optional<int64_t> countElements(Dims shape);

/// Broadcasts any number of shapes by NumPy's rules.
llvm::Expected<Shape> broadcastShapes(llvm::ArrayRef<Dims> shapes);

/// Returns the shape of `[..., M, K] x [..., K, N]`, with leading axes broadcast.
llvm::Expected<Shape> matMulShape(Dims lhs, Dims rhs);

/// The window of a convolution or a pooling, one entry per spatial axis (`pads` two: all low ones, then all high ones).
struct Window {
  Dims kernel, strides, pads, dilations;
  /// Additional cells at the high end, for poolings only; empty means 0.
  Dims overhang = {};
};

/// Returns the shape for input `[N, spatial..., C]` and filter `[spatial..., C / groups, OC]`. `window.kernel` is
/// ignored: the filter has it.
llvm::Expected<Shape> convShape(Dims input, Dims filter, Window window, int64_t groups);
/// The same for a transposed convolution. `window.pads` are cut off the result; negative ones extend it.
llvm::Expected<Shape> convTransposeShape(Dims input, Dims filter, Window window, int64_t groups);
llvm::Expected<Shape> poolShape(Dims input, const Window &window);
/// Returns the shape `[N, (steps, stride)..., C]` for input `[N, windows..., C]`. `window` has no pads.
llvm::Expected<Shape> unpoolShape(Dims input, const Window &window);
/// Codes of cells of a window are bytes: the number of a cell, below `mostCodedCells`, or `codeOfNoCell`. The value
/// between them is not a code, so a table can use it as a value that matches no code.
inline constexpr int64_t mostCodedCells = 254;
inline constexpr uint8_t codeOfNoCell = 255;
/// Succeeds if such a byte can name each cell of a window.
llvm::Error checkCodes(Dims kernel);

/// Returns the shape of a reduction. `axes` must be sorted, unique and within the rank.
llvm::Expected<Shape> reduceShape(Dims operand, Dims axes, bool keepDims);
llvm::Expected<Shape> transposeShape(Dims operand, Dims permutation);
llvm::Expected<Shape> concatShape(llvm::ArrayRef<Dims> operands, int64_t axis);
/// Returns the shape of interleaved operands. They are in row-major order of their first element, an index into an
/// array of shape `strides`.
llvm::Expected<Shape> interleaveShape(llvm::ArrayRef<Dims> operands, Dims strides);
llvm::Expected<Shape> sliceShape(Dims operand, Dims starts, Dims sizes, Dims steps);

/// Cells beyond an extent `d` that a mode of padding can fill: d - 1 for reflection, d for wrapping. The edge can fill
/// any number of cells if there is one.
enum class PadReach { Any, Edge, Extent, ExtentLessOne };
llvm::Expected<Shape> padShape(Dims operand, Dims low, Dims high, PadReach reach);
llvm::Expected<Shape> gatherShape(Dims operand, Dims indices, int64_t axis);

/// A resampled axis: for each of `positions`, the `taps` elements that it depends on.
struct SampleTable {
  int64_t positions, taps;
  llvm::ArrayRef<int32_t> indices; ///< Row by row.
};
/// Returns the shape of a resampled operand, with one table for each of `axes`. An element may depend on at most
/// `maxReads` others.
llvm::Expected<Shape> resampleShape(Dims operand, Dims axes, llvm::ArrayRef<SampleTable> tables, int64_t maxReads);
/// Returns the shape for input `[N, spatial..., C]` and positions `[R, points..., spatial axes]`. `images`, if given,
/// has the image of each row.
llvm::Expected<Shape> sampleShape(Dims input, Dims positions, std::optional<Dims> images);
/// Returns the shape of a gather. The last axis of `indices` holds coordinates of axes after the first `batchDims`.
llvm::Expected<Shape> gatherNdShape(Dims operand, Dims indices, int64_t batchDims);
/// Returns the shape of the indices, which have an index along `axis` for each element of the result.
llvm::Expected<Shape> gatherElementsShape(Dims operand, Dims indices, int64_t axis);
/// Returns the operand's shape. The last axis of `indices` holds coordinates of the first axes.
llvm::Expected<Shape> scatterNdShape(Dims operand, Dims indices, Dims updates);
llvm::Expected<Shape> scatterElementsShape(Dims operand, Dims indices, Dims updates, int64_t axis);

/// Succeeds if `parameter` has one number for all elements of `operand`, or one per index of `axis`. If `block` is not
/// 0, it must have one number per `block` indices instead.
llvm::Error checkCodeParameter(const char *name, Dims operand, Dims parameter, int64_t axis, int64_t block);

/// Succeeds if `axis` is an axis of `rank` dimensions.
llvm::Error checkAxis(int64_t axis, size_t rank);
/// Succeeds if `axes` are sorted, unique axes of `rank` dimensions.
llvm::Error checkAxes(Dims axes, size_t rank);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_SHAPES_SHAPERULES_H
