// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a contraction's right operand is stored, if its elements are decoded before they are multiplied.
// Why:   the choice of instructions, the prices of tiles, and the loads of both engines depend on it. All of them ask
//        one struct, which is read once.
// How:   a note on the kernel states it for one argument, and the reader of forms puts it into the contraction. If a
//        unit packs the operand into scratch, it decodes the operand there, and its product has no RightDecode.

#ifndef NACRE_CODEGEN_FORM_RIGHTDECODE_H
#define NACRE_CODEGEN_FORM_RIGHTDECODE_H

#include "codegen/form/Access.h"
#include "dialects/plan/PlanDialect.h"

#include <optional>

namespace nacre::codegen {

/// Storage of a right operand whose elements are decoded to the type of the sums.
struct RightDecode {
  mlir::Type stored; ///< Type of an element in memory, such as f16 or bf16
};

/// Returns how `kernel` finds the right operand `access` stored, if it multiplies it as `factor`. Without the kernel's
/// note (plan::rightDecodeOf), an operand of another type than `factor` is stored as the kernel reads it. Returns
/// `nullopt` if nothing is to be decoded.
std::optional<RightDecode> readRightDecode(plan::KernelOp kernel, const Access &access, mlir::Type factor);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_RIGHTDECODE_H
