// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NACRE_COMPILER_KERNELS_ITERATIONS_LOWERITERATIONS_H
#define NACRE_COMPILER_KERNELS_ITERATIONS_LOWERITERATIONS_H

#include "compiler/kernels/bodies/KernelBody.h"
#include "compiler/kernels/iterations/IterationPlan.h"

namespace nacre::kernels {

/// Writes the one kernel for all iterations of `loop`, whose results that are used are those of the group.
mlir::LogicalResult lowerIterations(KernelBody &body, nn::ForOp loop, const IterationPlan &plan);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ITERATIONS_LOWERITERATIONS_H
