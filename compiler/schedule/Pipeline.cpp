// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the schedule phase. The order of the passes matters:

#include "compiler/schedule/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::schedule {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  PlanArenaPassOptions planning;
  planning.alignment = options.alignment;
  OrderLaunchesPassOptions ordering;
  ordering.isShort = options.mostBytes.has_value();
  pm.addNestedPass<plan::EntryOp>(createOrderLaunchesPass(ordering));
  // Runs after launches are ordered: a better order costs no time, unlike recomputation.
  if (options.mostBytes) {
    RecomputeValuesPassOptions recomputing;
    recomputing.mostBytes = *options.mostBytes;
    recomputing.alignment = options.alignment;
    recomputing.target = options.target;
    recomputing.cpu = options.cpus;
    pm.addPass(createRecomputeValuesPass(recomputing));
  }
  pm.addNestedPass<plan::EntryOp>(createPlanArenaPass(planning));
  pm.addPass(createVerifySchedulePass());
}

} // namespace nacre::schedule
