// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings that `nn` spells as several operators.
//
// Why:  formats count an element's index differently: over channels or not, over the batch or not, columns first. All of
//       them are sums of the element's positions times distances.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H

#include "compiler/import/Geometry.h"
#include "compiler/import/NnBuilder.h"

namespace nacre::importer {

/// Where the largest element of each window of `x`, `[N, spatial..., C]`, is: its positions along the spatial axes times
/// `distances`, added up, as i64. Of equal elements the first one counts, in the order of the axes.
mlir::Value indicesOfMaxima(NnBuilder &nn, mlir::Value x, const Window &window, Ints distances);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_POOLINGS_H
