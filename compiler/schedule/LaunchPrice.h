// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  about what a launch takes on one core of the target.
// Why:   under a cap of memory something takes more time, and the least shall; shares are what matters, not milliseconds. Placement
//        knows devices, where there is one, and predicts for it.
// How:   operations, as the body is written or by Winograd, over a rate, and bytes of operands over another. Both, since a launch
//        seldom begins with what is in a cache: parts of a batch that are too small read all weights too often.

#ifndef NACRE_COMPILER_SCHEDULE_LAUNCHPRICE_H
#define NACRE_COMPILER_SCHEDULE_LAUNCHPRICE_H

#include "codegen/MachineModel.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace nacre::schedule {

/// Nanoseconds of one iteration.
double priceOf(plan::LaunchOp launch, plan::KernelOp kernel, const codegen::MachineModel &machine);

/// Of a run of each entry, added up.
double priceOf(mlir::ModuleOp module, const codegen::MachineModel &machine);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_LAUNCHPRICE_H
