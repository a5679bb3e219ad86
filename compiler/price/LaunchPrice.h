// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of a launch on one core of a class of CPUs.
// Why: under a memory cap, the compiler looks for the change that costs the least time. Advice compares launches with
//      one another. Both need proportions, not milliseconds; place/CostModel.h predicts milliseconds for a device.
// How: operations divided by a rate, plus bytes divided by a bandwidth. The times are added, because the data of a
//      launch are seldom in a cache when it begins.

#ifndef NACRE_COMPILER_PRICE_LAUNCHPRICE_H
#define NACRE_COMPILER_PRICE_LAUNCHPRICE_H

#include "compiler/price/LaunchWork.h"

namespace nacre::price {

/// Returns the nanoseconds of one iteration of a launch.
double priceOf(const LaunchWork &work, const codegen::MachineModel &machine);
double priceOf(plan::LaunchOp launch, plan::KernelOp kernel, const codegen::MachineModel &machine);

/// Returns the nanoseconds of a run of an entry.
double priceOf(plan::EntryOp entry, const codegen::MachineModel &machine);

} // namespace nacre::price

#endif // NACRE_COMPILER_PRICE_LAUNCHPRICE_H
