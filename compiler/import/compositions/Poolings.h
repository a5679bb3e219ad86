// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings that are compositions of several `nn` operators.
//
// Formats compute the index of an element differently: with or without channels or batch, or columns first. Each index
// is a sum of products of the element's positions and distances.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns the index of the largest element of each window of `x`, `[N, spatial..., C]`, as i64. An index is the sum of
/// the spatial positions times `distances`. Among equal elements, the first one in row-major order is chosen.
mlir::Value indicesOfMaxima(NnBuilder &nn, mlir::Value x, const Window &window, Ints distances);

/// Returns the shape, [runs, C], of the tables that poolRegionMaxima makes for images [N, H, W, C].
llvm::SmallVector<int64_t> getTableOfMaxima(Ints images);

/// Returns the maxima of the bins of regions (Fast R-CNN). The size of a bin depends on data, so it cannot be a window.
/// Tables hold the maxima of all runs of 1, 2, 4, ... rows by 1, 2, 4, ... columns; four runs cover a bin. `images` is
/// [N, H, W, C] without empty axes. A row of `regions` [R, 5] has an image, then column and row of the first corner and
/// of the last. These are scaled by `scale` and rounded. The result is [R, bins[0], bins[1], C]. Empty bins are 0.
mlir::Value poolRegionMaxima(NnBuilder &nn, mlir::Value images, mlir::Value regions, Ints bins, double scale);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H
