// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule phase, in order.

#include "compiler/schedule/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::schedule {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  PlanArenaPassOptions planning;
  planning.alignment = options.alignment;
  pm.addNestedPass<plan::EntryOp>(createOrderLaunchesPass());
  pm.addNestedPass<plan::EntryOp>(createPlanArenaPass(planning));
  pm.addPass(createVerifySchedulePass());
}

} // namespace nacre::schedule
