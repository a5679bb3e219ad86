// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels phase, in order.

#include "compiler/kernels/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace nacre::kernels {

void buildPreparation(mlir::OpPassManager &pm) {
  // What an app holds as bytes is unpacked by operators like any other.
  pm.nest<mlir::func::FuncOp>().addPass(createPackPortsPass());
  // What could be a view is made to stand alone, so that forming kernels does not swallow it.
  pm.nest<mlir::func::FuncOp>().addPass(createExposeMovementPass());
  // What iterations of loops count and start with becomes operators, which form kernels.
  pm.nest<mlir::func::FuncOp>().addPass(createPrepareLoopsPass());
}

void buildForming(mlir::OpPassManager &pm) {
  // Before anything is grouped: what it makes of a softmax is grouped with what reads it.
  pm.nest<mlir::func::FuncOp>().addPass(createExpandLossPass());
  // Before sums are divided: this one is shorter.
  pm.nest<mlir::func::FuncOp>().addPass(createSumEarlyPass());
  // Before products are divided: a position is a part.
  pm.nest<mlir::func::FuncOp>().addPass(createBatchPositionsPass());
  // First: what adds up the parts is an operator that others may follow.
  pm.nest<mlir::func::FuncOp>().addPass(createSplitSumsPass());
  // After movement: what is read in parts is read so by elementwise operators.
  pm.nest<mlir::func::FuncOp>().addPass(createPartProductsPass());
  pm.nest<mlir::func::FuncOp>().addPass(createPartHeadsPass());
  // Last, when it is settled what shares a product's kernel.
  pm.nest<mlir::func::FuncOp>().addPass(createBlockRowsPass());
  pm.addPass(createFormKernelsPass());
  pm.addPass(createAssignStoragesPass());
  // Only now are storages part of a kernel: what is equal here is the same code.
  pm.addPass(createShareNumbersPass());
  pm.addPass(createMergeKernelsPass());
  pm.addPass(createVerifyKernelsPass());
}

void buildPipeline(mlir::OpPassManager &pm, plan::Engine engine) {
  buildPreparation(pm);
  if (engine != plan::Engine::Any)
    pm.addPass(createAssignEnginePass({engine}));
  buildForming(pm);
}

} // namespace nacre::kernels
