// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings that `nn` expresses as several operators.
//
// Formats count the index of an element differently: with or without channels or batch, or columns first. Each index is
// a sum of the element's positions times distances.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns the index of the largest element of each window of `x`, `[N, spatial..., C]`, as i64: the sum of its spatial
/// positions times `distances`. The first one wins among equal elements, in row-major order.
mlir::Value indicesOfMaxima(NnBuilder &nn, mlir::Value x, const Window &window, Ints distances);

/// Returns the shape of the tables of images [N, H, W, C]: [runs, C].
llvm::SmallVector<int64_t> getTableOfMaxima(Ints images);

/// Returns the maxima of the bins of regions (Fast R-CNN). The network computes the size of a bin, so a window cannot
/// have it. Tables hold the maxima of all runs of 1, 2, 4, ... rows by 1, 2, 4, ... columns; four runs cover a bin.
/// `images` is [N, H, W, C] with no empty axis. A row of `regions` [R, 5] is an image, then column and row of the first
/// and of the last corner, which are scaled by `scale` and rounded. The result is [R, bins[0], bins[1], C]; empty bins
/// are 0.
mlir::Value poolRegionMaxima(NnBuilder &nn, mlir::Value images, mlir::Value regions, Ints bins, double scale);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H
