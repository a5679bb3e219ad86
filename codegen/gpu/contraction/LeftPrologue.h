// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  makes the left operand of a contraction with a prologue: a map of several operands, and of numbers of each row.
// Why:   what scales and shifts channels, or normalizes rows, then needs no launch, which costs more than it computes.
// How:   the map's body is inlined on quads of what PrologueOperands loads, and of what RowStatistics computed before.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_LEFTPROLOGUE_H
#define NACRE_CODEGEN_GPU_CONTRACTION_LEFTPROLOGUE_H

#include "codegen/gpu/GpuTile.h"
#include "codegen/gpu/contraction/ContractionGrid.h"
#include <memory>

namespace nacre::codegen::gpu {

/// Whether inlineBody knows all that its bodies hold.
bool canMakeLeft(const ContractionPrologue &prologue);

/// For a tile of the grid, which is divided; null where there is no prologue.
std::unique_ptr<LeftSource> makeLeftSource(ContractionGrid &grid, const GpuTile &tile);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_LEFTPROLOGUE_H
