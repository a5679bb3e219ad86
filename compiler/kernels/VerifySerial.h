// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  whether a serial kernel's program is one that emitters can write without asking where its tensors lie.
// Why:   they give every tensor of a program a place and never copy one: what is read by an older name than the last
//        would be the new contents.
// How:   1. the loop over points; 2. the operations; 3. each tensor is handed on once in any way through the program,
//        and not read after that.

#ifndef NACRE_COMPILER_KERNELS_VERIFYSERIAL_H
#define NACRE_COMPILER_KERNELS_VERIFYSERIAL_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacre::kernels {

/// What is wrong with a program, and where.
struct SerialFault {
  mlir::Operation *at;
  const char *must;
};

std::optional<SerialFault> findSerialFault(plan::KernelOp kernel, mlir::scf::ForallOp points);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_VERIFYSERIAL_H
