// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: what the entries of a plan add to the report: their memory over their steps, and what training each weight costs.

#ifndef NACRE_COMPILER_DESCRIBEENTRIES_H
#define NACRE_COMPILER_DESCRIBEENTRIES_H

#include "compiler/CompileReport.h"

#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace nacre {

/// The steps of an entry as the schedule phase numbers them: launches, conditions, loops and branches in the order in which they stand; a
/// loop a second time, for its end.
llvm::SmallVector<mlir::Operation *> stepsOf(plan::EntryOp entry);

/// Predicted, of all turns of a launch, as it is placed; 0 where placement knows no device.
double placedMilliseconds(plan::LaunchOp launch);

/// What placement predicts of a run of the first entry, where it knows a device.
std::optional<PredictedRun> describeRun(mlir::ModuleOp placed);

/// A row for each entry.
std::vector<EntryReport> describeEntries(mlir::ModuleOp scheduled);

/// How long the parts of a step of the entry `train` take together, where placement knows a device.
std::optional<StepTimes> describeStepTimes(mlir::ModuleOp placed);

/// A row for each weight that the entry `train` changes, where placement knows a device.
std::vector<WeightCost> describeWeightCosts(mlir::ModuleOp placed);

} // namespace nacre

#endif // NACRE_COMPILER_DESCRIBEENTRIES_H
