// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes the left operand of a contraction with a prologue, which is a map of several operands and of
//        statistics of each row.
// Why:   scaling and shifting of channels, or normalization of rows, then needs no separate launch. A launch would cost
//        more than the computation.
// How:   the map's body is inlined. Its inputs are quads that PrologueOperands loads, and values from RowStatistics.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_LEFTPROLOGUE_H
#define NACRE_CODEGEN_GPU_CONTRACTION_LEFTPROLOGUE_H

#include "codegen/gpu/GpuTile.h"
#include "codegen/gpu/contraction/ContractionGrid.h"
#include <memory>

namespace nacre::codegen::gpu {

/// True if inlineBody() supports all bodies of `prologue`.
bool canMakeLeft(const ContractionPrologue &prologue);

/// Returns the source for a tile of `grid`, which must be divided. Null if the contraction has no prologue.
std::unique_ptr<LeftSource> makeLeftSource(ContractionGrid &grid, const GpuTile &tile);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_LEFTPROLOGUE_H
