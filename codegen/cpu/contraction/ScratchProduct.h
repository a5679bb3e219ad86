// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a CPU multiplies by an operand that is no packed weight: by a panel in scratch, of what type and width.
// Why:   the emitter packs such panels; the phase that divides a product between engines must know where they begin.
// How:   from the product and the rows of the target only; emits no code.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_SCRATCHPRODUCT_H
#define NACRE_CODEGEN_CPU_CONTRACTION_SCRATCHPRODUCT_H

#include "codegen/cpu/contraction/MachineRows.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// Whether `target` has an instruction for the operands, in the groups that panels are in, if they are.
bool canMultiply(const Target &target, const MatrixProduct &product);

/// `product`, of no packed weight, as it is of a panel in scratch. Integers are in groups that the target multiplies fastest; steps
/// that do not lie one after another in Lhs have a group each.
MatrixProduct inScratch(const Target &target, const MatrixProduct &product);

/// The element type of such a panel. An operand that is not a packed weight is converted when it is packed.
mlir::Type typeInScratch(const MatrixProduct &product);

/// The columns of such a panel.
int64_t widthInScratch(const Target &target, const MatrixProduct &product);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_SCRATCHPRODUCT_H
