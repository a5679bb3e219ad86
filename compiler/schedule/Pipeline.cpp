// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule phase, in order.

#include "compiler/schedule/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::schedule {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  PlanArenaPassOptions planning;
  planning.alignment = options.alignment;
  OrderLaunchesPassOptions ordering;
  ordering.isShort = options.mostBytes.has_value();
  pm.addNestedPass<plan::EntryOp>(createOrderLaunchesPass(ordering));
  // After the order of launches, because a better order costs no time.
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
