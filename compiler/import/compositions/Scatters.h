// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writing to computed places, as `nn` spells it: what a pooling has left out put back, columns added up to an
//        image, rows placed in a cache.
// Why:   every format has these, and each has names of its own for them.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SCATTERS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SCATTERS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// `x` is [N, C, spatial...], what a maximum pooling left of [N, C, shape...]; `indices`, of x's shape, say where in the
/// latter, counted over all of its axes, each element was. The others are 0. Makes a constant of N * C integers.
mlir::Value unpool(NnBuilder &nn, mlir::Value x, mlir::Value indices, Ints shape);

/// The geometry of windows over an image, one entry per spatial axis (`pads` two: all low ones, then all high ones).
struct ColumnWindows {
  Ints image, kernel, strides, pads, dilations;
  /// How many windows there are along spatial axis `axis`; negative or 0 where none fits.
  int64_t count(size_t axis) const {
    return (image[axis] + pads[axis] + pads[image.size() + axis] - dilations[axis] * (kernel[axis] - 1) - 1) /
               strides[axis] +
           1;
  }
};

/// Adds up `columns`, [N, C * kernel..., windows], to the image [N, C, image...] of which they are windows (ONNX Col2Im).
/// Makes a constant of an integer for each element of a channel's windows.
mlir::Value columnsToImage(NnBuilder &nn, mlir::Value columns, const ColumnWindows &windows);

/// `cache` with `update`, which is as long or shorter along `axis`, written over it from `begins[b]` on in row b of
/// axis 0. What reaches beyond the end is left out, or begins again at 0 where the cache is `circular`. Makes constants of
/// as many integers as the axes up to `axis` have indices.
mlir::Value placeRows(NnBuilder &nn, mlir::Value cache, mlir::Value update, mlir::Value begins, int64_t axis,
                      bool circular);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SCATTERS_H
