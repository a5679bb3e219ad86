// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  tiles in shared memory for products that end before they can fill a GPU, because they have few workgroups or
//        few steps.
// Why:   the lists have times of long sums whose operands are in a cache. For short products, the latency of weights
//        from memory is more important, above all if a unit has few invocations.
// How:   the table has a few tiles with more invocations than in the lists, and the shapes that they were measured for.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_SHORTPRODUCTS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_SHORTPRODUCTS_H

#include "codegen/gpu/contraction/TileTables.h"

namespace nacre::codegen::gpu {

/// Returns a tile that computes `request` faster on `machine` than `tile`, the best tile of the list. Null if no such
/// tile is known.
const GpuTile::Shared *tileOfShortProduct(const TileRequest &request, const GpuTile &tile, const GpuMachine &machine);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_SHORTPRODUCTS_H
