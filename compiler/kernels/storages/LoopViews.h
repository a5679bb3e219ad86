// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds views that are tensors, and tensors that a loop moves but that an inner loop reads. The position of a launch's
// operand can depend only on the innermost loop around the launch.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_LOOPVIEWS_H
#define NACRE_COMPILER_KERNELS_STORAGES_LOOPVIEWS_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::kernels {

/// True if `op` is a view of tensor type: memory seen as a tensor, or a row of a tensor in each iteration of a loop.
bool isTensorView(mlir::Operation *op);

/// True if a loop moves the tensor, and an inner loop reads it or a part of it.
bool movesTooFar(plan::ViewOp view);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_LOOPVIEWS_H
