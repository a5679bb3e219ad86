// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  chooses the type and the width of the panel that a unit packs into scratch if the right operand is not a
//        packed weight.
// Why:   the emitter packs such panels. The phase that divides a product between engines must know the indices at which
//        panels begin.
// How:   only the product and the target's machine rows decide. No code is emitted.

#ifndef NACRE_CODEGEN_CPU_TILES_SCRATCHPRODUCT_H
#define NACRE_CODEGEN_CPU_TILES_SCRATCHPRODUCT_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// True if `target` has an instruction for the operands. If the operand is packed, the instruction must take its
/// groups.
bool canMultiply(const Target &target, const MatrixProduct &product);

/// Returns `product`, which has no packed weight, changed to read a panel in scratch. Its elements have the type that
/// typeInScratch() returns. Integers get the groups that the target multiplies fastest. If the steps of Lhs are not
/// consecutive in memory, each group has a single step.
MatrixProduct inScratch(const Target &target, const MatrixProduct &product);

/// Returns the element type of a panel in scratch. An operand that is not a packed weight is converted when it is
/// packed, unless `target` multiplies halves as they are stored.
mlir::Type typeInScratch(const Target &target, const MatrixProduct &product);

/// Returns the number of columns of a panel in scratch.
int64_t widthInScratch(const Target &target, const MatrixProduct &product);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_SCRATCHPRODUCT_H
