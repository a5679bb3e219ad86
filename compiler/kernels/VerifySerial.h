// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that emitters can write the program of a serial kernel without analyzing where its tensors lie. Emitters give
// every tensor of a program one location and never copy it. Reading an older version of a tensor would thus return the
// new contents.
//
// The checks: 1. the loop over points; 2. operations; 3. parallel iterations; 4. tensors: on each path, a tensor is
// passed on once and not read after that.

#ifndef NACRE_COMPILER_KERNELS_VERIFYSERIAL_H
#define NACRE_COMPILER_KERNELS_VERIFYSERIAL_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacre::kernels {

/// Message about a faulty program, and the operation at fault.
struct SerialFault {
  mlir::Operation *at;
  const char *must;
};

std::optional<SerialFault> findSerialFault(plan::KernelOp kernel, mlir::scf::ForallOp points);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_VERIFYSERIAL_H
