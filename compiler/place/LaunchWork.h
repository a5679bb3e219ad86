// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  reads the work of a launch off its kernel's body: operations, bytes, and which of them a share of the cut axis
//        has to itself.
// Why:   the cost model knows no IR.

#ifndef NACRE_COMPILER_PLACE_LAUNCHWORK_H
#define NACRE_COMPILER_PLACE_LAUNCHWORK_H

#include "compiler/place/CostModel.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::place {

/// Of one launch. What the kernel's body says in other forms than docs/phases/kernels.md is counted as far as it can
/// be. `rivals` are the weight bytes of all launches between two iterations of this one.
LaunchWork readWork(plan::LaunchOp launch, plan::KernelOp kernel, double rivals);

/// Of all weights that the launches inside an operation read.
double weightBytes(mlir::Operation *launches);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_LAUNCHWORK_H
