// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  tiles through shared memory for products that are over before a GPU is busy: of few workgroups, or of few steps.
// Why:   a list's times are those of long sums over operands in a cache. Here a weight that comes from memory is waited for, above all if
//        a unit has few invocations.
// How:   a few tiles with more invocations than the list's, and the shapes for which each of them was measured.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_SHORTPRODUCTS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_SHORTPRODUCTS_H

#include "codegen/gpu/contraction/TileTables.h"

namespace nacre::codegen::gpu {

/// Returns a tile that computes the request faster on `machine` than `tile`, the best one of the list, or null.
const GpuTile *tileOfShortProduct(const TileRequest &request, const GpuTile &tile, const GpuMachine &machine);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_SHORTPRODUCTS_H
