// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the views that are tensors, and those of them that an inner loop reads. An operand of a launch can move only
// with the innermost loop around the launch.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_LOOPVIEWS_H
#define NACRE_COMPILER_KERNELS_STORAGES_LOOPVIEWS_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::kernels {

/// True if `op` is a view of a tensor type: memory as a tensor, or a row of a tensor in each iteration of a loop.
bool isTensorView(mlir::Operation *op);

/// True if a loop moves the tensor, and it or a part of it is read inside an inner loop.
bool movesTooFar(plan::ViewOp view);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_LOOPVIEWS_H
