// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that emitters can write the program of a serial kernel without analysing where its tensors lie. They give
// every tensor of a program one place and never copy it. A read of an older value than the last would see the new
// contents.
//
// The checks: 1. the loop over points; 2. operations; 3. parallel iterations; 4. tensors: on each path, a tensor is
// passed on once and not read after that.

#ifndef NACRE_COMPILER_KERNELS_VERIFYSERIAL_H
#define NACRE_COMPILER_KERNELS_VERIFYSERIAL_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacre::kernels {

/// Fault of a program, and the operation that has it.
struct SerialFault {
  mlir::Operation *at;
  const char *must;
};

std::optional<SerialFault> findSerialFault(plan::KernelOp kernel, mlir::scf::ForallOp points);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_VERIFYSERIAL_H
