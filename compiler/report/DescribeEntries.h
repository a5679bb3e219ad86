// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds entries to the report: their memory at each step, and the training cost of each weight.

#ifndef NACRE_COMPILER_REPORT_DESCRIBEENTRIES_H
#define NACRE_COMPILER_REPORT_DESCRIBEENTRIES_H

#include "compiler/report/CompileReport.h"

#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace nacre {

/// Returns the steps of an entry in the order of the schedule phase: launches, conditions, loops and branches. A loop
/// occurs twice, the second time for its end.
llvm::SmallVector<mlir::Operation *> stepsOf(plan::EntryOp entry);

/// Returns the predicted time of all executions of a placed launch, or 0 without a device.
double placedMilliseconds(plan::LaunchOp launch);

/// Returns the predicted times of a run of the first entry, if there is a device.
std::optional<PredictedRun> describeRun(mlir::ModuleOp placed);

/// Returns a report for each entry.
std::vector<EntryReport> describeEntries(mlir::ModuleOp scheduled);

/// Returns the times of the parts of a step of the entry `train`, if there is a device.
std::optional<StepTimes> describeStepTimes(mlir::ModuleOp placed);

/// Returns the costs of each weight that the entry `train` changes, if there is a device.
std::vector<WeightCost> describeWeightCosts(mlir::ModuleOp placed);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_DESCRIBEENTRIES_H
