// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  about how long a launch takes on one core of a class of CPUs.
// Why:   under a cap of memory something takes more time, and that should be the least; advice weighs launches against one another.
//        Shares matter, not milliseconds: with a device, place/CostModel.h predicts those.
// How:   operations over a rate, and bytes of operands over another, added up, because a launch seldom begins with its data in a cache:
//        parts of a batch that are too small read all weights too often.

#ifndef NACRE_COMPILER_PRICE_LAUNCHPRICE_H
#define NACRE_COMPILER_PRICE_LAUNCHPRICE_H

#include "compiler/price/LaunchWork.h"

#include "mlir/IR/BuiltinOps.h"

namespace nacre::price {

/// Returns the nanoseconds of one iteration.
double priceOf(const LaunchWork &work, const codegen::MachineModel &machine);
double priceOf(plan::LaunchOp launch, plan::KernelOp kernel, const codegen::MachineModel &machine);

/// Returns the nanoseconds of a run of each entry, added up.
double priceOf(mlir::ModuleOp module, const codegen::MachineModel &machine);

} // namespace nacre::price

#endif // NACRE_COMPILER_PRICE_LAUNCHPRICE_H
