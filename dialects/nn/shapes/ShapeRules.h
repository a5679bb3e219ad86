// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes the result shape of every kind of operator, or the reason why it has no valid shape.
// Why:   shapes come from untrusted files. The arithmetic is independent of IR, so that tests can cover each rule.
// How:   the functions map dimensions to dimensions. They also check attributes, because a rule is only correct for the
//        attributes that it has checked.

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

/// Returns the number of elements of a shape; `nullopt` if it exceeds 2^48, because no memory can hold them.
std::optional<int64_t> countElements(Dims shape);

/// Returns the shape to which all `shapes` broadcast by NumPy's rules.
llvm::Expected<Shape> broadcastShapes(llvm::ArrayRef<Dims> shapes);

/// Returns the shape of the product `[..., M, K] x [..., K, N]`. The leading axes broadcast.
llvm::Expected<Shape> matMulShape(Dims lhs, Dims rhs);

/// The window of a convolution or a pooling. Each member has one entry per spatial axis, but `pads` has two: first all
/// low ones, then all high ones.
struct Window {
  Dims kernel, strides, pads, dilations;
  /// Additional elements at the high end of each axis. Only for poolings; empty means 0.
  Dims overhang = {};
};

/// Returns the shape of a convolution of `[N, spatial..., C]` with a filter `[spatial..., C / groups, OC]`.
/// `window.kernel` is ignored, because the filter has these sizes.
llvm::Expected<Shape> convShape(Dims input, Dims filter, Window window, int64_t groups);
/// Returns the shape of a transposed convolution. `window.pads` are cut off the result; negative ones extend it.
llvm::Expected<Shape> convTransposeShape(Dims input, Dims filter, Window window, int64_t groups);
llvm::Expected<Shape> poolShape(Dims input, const Window &window);
/// Returns the shape `[N, (steps, stride)..., C]` of unpooling `[N, windows..., C]`. `window` has no pads.
llvm::Expected<Shape> unpoolShape(Dims input, const Window &window);
/// A code of a window's element is a byte: the index of the element, below `mostCodedCells`, or `codeOfNoCell`. The
/// value between these two is not a code, so a table can use it as a value that matches no code.
inline constexpr int64_t mostCodedCells = 254;
inline constexpr uint8_t codeOfNoCell = 255;
/// Reports an error if a window of shape `kernel` has more elements than codes.
llvm::Error checkCodes(Dims kernel);

/// Returns the shape of a reduction. `axes` must be sorted, unique and below the rank.
llvm::Expected<Shape> reduceShape(Dims operand, Dims axes, bool keepDims);
llvm::Expected<Shape> transposeShape(Dims operand, Dims permutation);
llvm::Expected<Shape> concatShape(llvm::ArrayRef<Dims> operands, int64_t axis);
/// Returns the shape of interleaved operands. Each operand contains every strides[i]-th index of axis i. The operands
/// are in row-major order of the position of their first element within `strides`.
llvm::Expected<Shape> interleaveShape(llvm::ArrayRef<Dims> operands, Dims strides);
llvm::Expected<Shape> sliceShape(Dims operand, Dims starts, Dims sizes, Dims steps);

/// Number of elements beyond an axis of size d that a mode of padding can fill. Reflection can fill d - 1, wrapping d.
/// Edge padding can fill any number if d is at least 1.
enum class PadReach { Any, Edge, Extent, ExtentLessOne };
llvm::Expected<Shape> padShape(Dims operand, Dims low, Dims high, PadReach reach);
llvm::Expected<Shape> gatherShape(Dims operand, Dims indices, int64_t axis);

/// The resampling of an axis. Each of `positions` results depends on `taps` elements of the operand.
struct SampleTable {
  int64_t positions, taps;
  llvm::ArrayRef<int32_t> indices; ///< Indices of these elements, in row-major order.
};
/// Returns the shape of a resampled operand. `tables` has one table for each of `axes`. An element of the result may
/// depend on at most `maxReads` elements.
llvm::Expected<Shape> resampleShape(Dims operand, Dims axes, llvm::ArrayRef<SampleTable> tables, int64_t maxReads);
/// Returns the shape of sampling `[N, spatial..., C]` at positions `[R, points..., spatial axes]`. If given, `images`
/// has the index of the image for each of the R rows.
llvm::Expected<Shape> sampleShape(Dims input, Dims positions, std::optional<Dims> images);
/// Returns the shape of a gather. The last axis of `indices` has coordinates for the axes after the first `batchDims`
/// axes.
llvm::Expected<Shape> gatherNdShape(Dims operand, Dims indices, int64_t batchDims);
/// Returns the shape of `indices`, which have an index along `axis` for each element of the result.
llvm::Expected<Shape> gatherElementsShape(Dims operand, Dims indices, int64_t axis);
/// Returns the operand's shape. The last axis of `indices` has coordinates for the first axes of the operand.
llvm::Expected<Shape> scatterNdShape(Dims operand, Dims indices, Dims updates);
llvm::Expected<Shape> scatterElementsShape(Dims operand, Dims indices, Dims updates, int64_t axis);

/// Reports an error unless `parameter` has one value for all elements of `operand`, or one per index of `axis`. If
/// `block` is not 0, it must have one value per `block` indices of `axis` instead.
llvm::Error checkCodeParameter(const char *name, Dims operand, Dims parameter, int64_t axis, int64_t block);

/// Reports an error unless `axis` is an axis of `rank` dimensions.
llvm::Error checkAxis(int64_t axis, size_t rank);
/// Reports an error unless `axes` are sorted, unique axes of `rank` dimensions.
llvm::Error checkAxes(Dims axes, size_t rank);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_SHAPES_SHAPERULES_H
