// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule phase, in order.

#include "compiler/schedule/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::schedule {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  PlanArenaPassOptions planning;
  planning.alignment = options.alignment;
  // Launches are already in the order of the model, which is a topological one; the arena is planned for it.
  pm.addNestedPass<plan::EntryOp>(createPlanArenaPass(planning));
  pm.addPass(createVerifySchedulePass());
}

} // namespace nacre::schedule
