// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the rows of bytes that a unit multiplies, widened to 16 bits in scratch.
// Why:   an instruction that multiplies numbers of 16 bits then takes a row's word from memory, for each register of columns; widened
//        where they are multiplied, rows cost as much as a third of the products.
// How:   elements that lie one after another are copied at once, whatever loops walk over them, so that pixels which several taps read
//        are there once. Gaps between them become short.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_WIDEROWS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_WIDEROWS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/contraction/TileEpilogue.h"

namespace nacre::codegen::cpu {

/// A unit's part of the loop that the cut axis is, where that is one of the rows': `most` turns at most.
struct CutRows {
  mlir::Value low, high; ///< Null where a unit has all rows.
  int64_t most = 1;
};

/// Copies the left operand at `at`, all that the loops of rows and of the depth read of it. Returns `contraction` of the copy, which
/// becomes the last buffer of `function`; moves Lhs there.
LoopedContraction widenRows(KernelFunction &function, VectorBuilder &build, const LoopedContraction &contraction,
                            const CutRows &cut, Addresses &at);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_WIDEROWS_H
