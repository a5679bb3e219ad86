// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which views are tensors, and which of those are read where they cannot move.
// Why:   an operand of a launch moves with the innermost loop around the launch, and with no other.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_LOOPVIEWS_H
#define NACRE_COMPILER_KERNELS_STORAGES_LOOPVIEWS_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::kernels {

/// A view that is a tensor: that says that memory is one, or that is a row of one for each iteration of a loop.
bool isTensorView(mlir::Operation *op);

/// Whether a tensor that moves with a loop is read in loops inside that one, by itself or as a part of something.
bool movesTooFar(plan::ViewOp view);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_LOOPVIEWS_H
