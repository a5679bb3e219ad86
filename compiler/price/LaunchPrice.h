// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  an estimate of a launch's time on one core of a class of CPUs.
// Why:   Under a memory cap, the compiler chooses what costs the least time. Advice compares launches with one
//        another. Both need proportions, not milliseconds; for a device, place/CostModel.h predicts those.
// How:   Operations divided by a rate, plus bytes divided by a bandwidth. The times are added, because the data of a
//        launch are seldom in a cache when it begins.

#ifndef NACRE_COMPILER_PRICE_LAUNCHPRICE_H
#define NACRE_COMPILER_PRICE_LAUNCHPRICE_H

#include "compiler/price/LaunchWork.h"

#include "mlir/IR/BuiltinOps.h"

namespace nacre::price {

/// Returns the nanoseconds of one iteration of a launch.
double priceOf(const LaunchWork &work, const codegen::MachineModel &machine);
double priceOf(plan::LaunchOp launch, plan::KernelOp kernel, const codegen::MachineModel &machine);

/// Returns the sum of the nanoseconds that a run of each entry takes.
double priceOf(mlir::ModuleOp module, const codegen::MachineModel &machine);

} // namespace nacre::price

#endif // NACRE_COMPILER_PRICE_LAUNCHPRICE_H
