// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  tiles through shared memory for products that end before a GPU is busy: those with few workgroups or few
//        steps.
// Why:   the times in the lists are those of long sums with operands in a cache. Here, the latency of weights from
//        memory dominates, above all if a unit has few invocations.
// How:   a few tiles with more invocations than those in the lists, and the shapes for which each was measured.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_SHORTPRODUCTS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_SHORTPRODUCTS_H

#include "codegen/gpu/contraction/TileTables.h"

namespace nacre::codegen::gpu {

/// Returns a tile that computes the request faster on `machine` than `tile`, the best one of the list. Returns null if
/// there is no such tile.
const GpuTile *tileOfShortProduct(const TileRequest &request, const GpuTile &tile, const GpuMachine &machine);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_SHORTPRODUCTS_H
