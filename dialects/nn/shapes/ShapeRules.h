// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the result shape of every kind of operator, or the reason why there is none.
// Why:   shapes come from hostile files; the arithmetic is kept free of IR so that each rule is tested alone.
// How:   plain functions from dimensions to dimensions. Attributes are checked here too, because a rule is only right
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

/// The number of elements of a shape, or nothing if no memory can hold them (2^48 is the limit).
std::optional<int64_t> countElements(Dims shape);

/// NumPy's broadcasting of any number of shapes.
llvm::Expected<Shape> broadcastShapes(llvm::ArrayRef<Dims> shapes);

/// `[..., M, K] x [..., K, N]`, leading axes broadcast.
llvm::Expected<Shape> matMulShape(Dims lhs, Dims rhs);

/// The window of a convolution or a pooling, one entry per spatial axis (`pads` two: all low ones, then all high ones).
struct Window {
  Dims kernel, strides, pads, dilations;
  /// Further cells at the high end, of poolings alone; empty means none.
  Dims overhang = {};
};

/// Input `[N, spatial..., C]`, filter `[spatial..., C / groups, OC]`; `window.kernel` is read from the filter.
llvm::Expected<Shape> convShape(Dims input, Dims filter, Window window, int64_t groups);
/// The same operands; `window.pads` are cut off the result, and add to it where they are negative.
llvm::Expected<Shape> convTransposeShape(Dims input, Dims filter, Window window, int64_t groups);
llvm::Expected<Shape> poolShape(Dims input, const Window &window);
/// Input `[N, windows..., C]`, result `[N, (steps, stride)..., C]`; `window` without pads.
llvm::Expected<Shape> unpoolShape(Dims input, const Window &window);
/// Bytes that name cells of a window: the number of a cell, below `mostCodedCells`, or `codeOfNoCell`. The number between them is no code,
/// so that a table can have it where no code may match.
inline constexpr int64_t mostCodedCells = 254;
inline constexpr uint8_t codeOfNoCell = 255;
/// Success where such a byte can name each cell of a window.
llvm::Error checkCodes(Dims kernel);

/// `axes` must be sorted, unique and within the rank.
llvm::Expected<Shape> reduceShape(Dims operand, Dims axes, bool keepDims);
llvm::Expected<Shape> transposeShape(Dims operand, Dims permutation);
llvm::Expected<Shape> concatShape(llvm::ArrayRef<Dims> operands, int64_t axis);
/// Operands in row-major order of their first element, an index into an array of shape `strides`.
llvm::Expected<Shape> interleaveShape(llvm::ArrayRef<Dims> operands, Dims strides);
llvm::Expected<Shape> sliceShape(Dims operand, Dims starts, Dims sizes, Dims steps);

/// How many cells beyond an extent `d` a mode of padding can fill: reflecting knows d - 1 elements, wrapping d; the
/// edge serves any number of cells if there is one.
enum class PadReach { Any, Edge, Extent, ExtentLessOne };
llvm::Expected<Shape> padShape(Dims operand, Dims low, Dims high, PadReach reach);
llvm::Expected<Shape> gatherShape(Dims operand, Dims indices, int64_t axis);

/// How an axis is resampled: which `taps` elements of it each of `positions` is made of.
struct SampleTable {
  int64_t positions, taps;
  llvm::ArrayRef<int32_t> indices; ///< Row by row.
};
/// One table for each of `axes`; an element may be made of `maxReads` others at most.
llvm::Expected<Shape> resampleShape(Dims operand, Dims axes, llvm::ArrayRef<SampleTable> tables, int64_t maxReads);
/// Input `[N, spatial..., C]`, positions `[R, points..., spatial axes]`; `images`, of each row, where it is given.
llvm::Expected<Shape> sampleShape(Dims input, Dims positions, std::optional<Dims> images);
/// The last axis of `indices` holds coordinates of axes behind the first `batchDims`.
llvm::Expected<Shape> gatherNdShape(Dims operand, Dims indices, int64_t batchDims);
/// Of operands whose elements each have an index along `axis`: the shape of the indices.
llvm::Expected<Shape> gatherElementsShape(Dims operand, Dims indices, int64_t axis);
/// The last axis of `indices` holds coordinates of the first axes. The operand's shape.
llvm::Expected<Shape> scatterNdShape(Dims operand, Dims indices, Dims updates);
llvm::Expected<Shape> scatterElementsShape(Dims operand, Dims indices, Dims updates, int64_t axis);

/// Success where `parameter` has a number for all elements of `operand`, for each index of `axis`, or for each `block` of it, where that
/// is not 0.
llvm::Error checkCodeParameter(const char *name, Dims operand, Dims parameter, int64_t axis, int64_t block);

/// Success where `axis` is an axis of `rank` dimensions.
llvm::Error checkAxis(int64_t axis, size_t rank);
/// Success where `axes` are sorted, unique axes of `rank` dimensions.
llvm::Error checkAxes(Dims axes, size_t rank);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_SHAPES_SHAPERULES_H
