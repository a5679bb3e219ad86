// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NACRE_COMPILER_KERNELS_ITERATIONS_LOWERITERATIONS_H
#define NACRE_COMPILER_KERNELS_ITERATIONS_LOWERITERATIONS_H

#include "compiler/kernels/bodies/KernelBody.h"
#include "compiler/kernels/iterations/IterationPlan.h"

namespace nacre::kernels {

/// Writes the kernel that runs all iterations of `loop`. The results of its group are the used results of the loop.
mlir::LogicalResult lowerIterations(KernelBody &body, nn::ForOp loop, const IterationPlan &plan);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ITERATIONS_LOWERITERATIONS_H
