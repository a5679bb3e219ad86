// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings that `nn` spells as several operators.
//
// Why:  formats count an element's index differently: over channels or not, over the batch or not, columns first. All of
//       them are sums of the element's positions times distances.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Where the largest element of each window of `x`, `[N, spatial..., C]`, is: its positions along the spatial axes times
/// `distances`, added up, as i64. Of equal elements the first one counts, in the order of the axes.
mlir::Value indicesOfMaxima(NnBuilder &nn, mlir::Value x, const Window &window, Ints distances);

/// The shape of the tables of images [N, H, W, C]: [runs, C].
llvm::SmallVector<int64_t> getTableOfMaxima(Ints images);

/// The largest elements of parts of regions (Fast R-CNN). The network computes how large a part is, so that no window is one: tables have
/// the maxima of all runs of 1, 2, 4, ... rows by 1, 2, 4, ... columns, of which four cover a part.
/// `images` [N, H, W, C], of at least one element along each axis, and `regions` [R, 5], each an image and the columns and
/// rows of the first and of the last corner, which are multiplied by `scale` and rounded: [R, bins[0], bins[1], C]. A part
/// without elements gives zero.
mlir::Value poolRegionMaxima(NnBuilder &nn, mlir::Value images, mlir::Value regions, Ints bins, double scale);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H
