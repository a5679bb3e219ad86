// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes the left operand of a contraction with a prologue: a map of several operands, and of numbers of each
//        row.
// Why:   scaling and shifting of channels, or normalization of rows, then needs no separate launch, which would cost
//        more than the computation.
// How:   the map's body is inlined on quads loaded by PrologueOperands, and on values computed before by RowStatistics.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_LEFTPROLOGUE_H
#define NACRE_CODEGEN_GPU_CONTRACTION_LEFTPROLOGUE_H

#include "codegen/gpu/GpuTile.h"
#include "codegen/gpu/contraction/ContractionGrid.h"
#include <memory>

namespace nacre::codegen::gpu {

/// True if inlineBody supports all bodies of `prologue`.
bool canMakeLeft(const ContractionPrologue &prologue);

/// Returns the source for a tile of the grid, which must be divided; null if there is no prologue.
std::unique_ptr<LeftSource> makeLeftSource(ContractionGrid &grid, const GpuTile &tile);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_LEFTPROLOGUE_H
