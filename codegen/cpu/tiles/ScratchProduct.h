// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  type and width of the panel in scratch by which a CPU multiplies if the operand is not a packed weight.
// Why:   the emitter packs such panels, and the phase that divides a product between engines must know where they
//        begin.
// How:   only the product and the target's machine rows decide; no code is emitted.

#ifndef NACRE_CODEGEN_CPU_TILES_SCRATCHPRODUCT_H
#define NACRE_CODEGEN_CPU_TILES_SCRATCHPRODUCT_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// True if `target` has an instruction for the operands, in the groups of the panels if there are any.
bool canMultiply(const Target &target, const MatrixProduct &product);

/// Returns `product`, which has no packed weight, changed to read a panel in scratch. Integers get the groups that the
/// target multiplies fastest. If the steps of Lhs do not lie one after another, each has a group of its own.
MatrixProduct inScratch(const Target &target, const MatrixProduct &product);

/// Returns the element type of such a panel. An operand that is not a packed weight is converted when it is packed.
mlir::Type typeInScratch(const MatrixProduct &product);

/// Returns the number of columns of such a panel.
int64_t widthInScratch(const Target &target, const MatrixProduct &product);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_SCRATCHPRODUCT_H
