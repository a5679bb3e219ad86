// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NACRE_COMPILER_KERNELS_TURNS_LOWERTURNS_H
#define NACRE_COMPILER_KERNELS_TURNS_LOWERTURNS_H

#include "compiler/kernels/bodies/KernelBody.h"
#include "compiler/kernels/turns/TurnPlan.h"

namespace nacre::kernels {

/// Writes the one kernel for all turns of `loop`, whose results that are used are those of the group.
mlir::LogicalResult lowerTurns(KernelBody &body, nn::ForOp loop, const TurnPlan &plan);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_TURNS_LOWERTURNS_H
