// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compositions of `nn` operators that write to computed places: unpooling, adding up columns to an image, and placing
// rows in a cache. Each format has different names for them.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SCATTERS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SCATTERS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns indices along `axes` axes of `x`, from `first` on, with those below 0 counted from the end. Sizes of `x` may
/// be known only at run time. The last axis of the indices has one for each of several axes.
mlir::Value countFromFront(NnBuilder &nn, mlir::Value x, mlir::Value indices, int64_t first, int64_t axes);

/// Calls `scatter` to write `updates` at `indices`, of which some axes are open, to `x`. It gets all three without open
/// axes. The indices are along `axis`, or coordinates along several axes from `axis` on. Updates after the counts are
/// written after the end of `x` along `axis`, and are dropped. The result has the sizes of `x`.
mlir::Value scatterOpen(NnBuilder &nn, mlir::Value x, mlir::Value indices, mlir::Value updates, int64_t axis,
                        int64_t coordinates,
                        llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Value)> scatter);

/// Undoes a maximum pooling of [N, C, shape...] to `x`, [N, C, spatial...]. Element i of `x` goes to index `indices[i]`
/// of the result, counted over all axes. Other elements are 0. Makes a constant of N * C integers.
mlir::Value unpool(NnBuilder &nn, mlir::Value x, mlir::Value indices, Ints shape);

/// Geometry of windows over an image, with one entry per spatial axis. `pads` has the low pads of all axes, then the
/// high pads.
struct ColumnWindows {
  Ints image, kernel, strides, pads, dilations;
  /// Returns the number of windows along `axis`. It is 0 or negative if no window fits.
  int64_t count(size_t axis) const {
    return (image[axis] + pads[axis] + pads[image.size() + axis] - dilations[axis] * (kernel[axis] - 1) - 1) /
               strides[axis] +
           1;
  }
};

/// Adds up `columns` [N, C * kernel..., windows] to the image [N, C, image...] (ONNX Col2Im). Each column holds one
/// window of the image. Makes a constant with one integer per element of all windows of a channel.
mlir::Value columnsToImage(NnBuilder &nn, mlir::Value columns, const ColumnWindows &windows);

/// Overwrites `cache` with `update`, which must not be longer along `axis`. Row b of axis 0 is written from position
/// `begins[b]` on. Elements past the end are dropped, or go to the front if the cache is `circular`. Makes a constant
/// of indices for each axis up to `axis`.
mlir::Value placeRows(NnBuilder &nn, mlir::Value cache, mlir::Value update, mlir::Value begins, int64_t axis,
                      bool circular);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SCATTERS_H
