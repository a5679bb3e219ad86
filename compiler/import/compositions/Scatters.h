// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing to computed places in terms of `nn`: unpooling, adding up columns to an image, and placing rows in a cache.
// Every format has these under names of its own.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SCATTERS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SCATTERS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Undoes a maximum pooling of [N, C, shape...] to `x`, [N, C, spatial...]. Element i goes to index `indices[i]` of the
/// result, which counts over all axes; other elements are 0. Makes a constant of N * C integers.
mlir::Value unpool(NnBuilder &nn, mlir::Value x, mlir::Value indices, Ints shape);

/// Geometry of windows over an image, one entry per spatial axis. `pads` has two: all low ones, then all high ones.
struct ColumnWindows {
  Ints image, kernel, strides, pads, dilations;
  /// Returns the number of windows along spatial axis `axis`; 0 or negative if none fits.
  int64_t count(size_t axis) const {
    return (image[axis] + pads[axis] + pads[image.size() + axis] - dilations[axis] * (kernel[axis] - 1) - 1) /
               strides[axis] +
           1;
  }
};

/// Adds up `columns` [N, C * kernel..., windows] to the image [N, C, image...] that they are windows of (ONNX Col2Im).
/// Makes a constant of one integer per element of a channel's windows.
mlir::Value columnsToImage(NnBuilder &nn, mlir::Value columns, const ColumnWindows &windows);

/// Overwrites `cache` with `update`, which is at most as long along `axis`. Row b of axis 0 is written from `begins[b]`
/// on. Elements beyond the end are dropped, or wrap to 0 if the cache is `circular`. Makes a constant of indices for
/// each axis up to `axis`.
mlir::Value placeRows(NnBuilder &nn, mlir::Value cache, mlir::Value update, mlir::Value begins, int64_t axis,
                      bool circular);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SCATTERS_H
