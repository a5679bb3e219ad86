// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels phase in order.

#include "compiler/kernels/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace nacre::kernels {

void buildPreparation(mlir::OpPassManager &pm) {
  // First, ordinary operators unpack the bytes of packed inputs, and pack outputs.
  pm.nest<mlir::func::FuncOp>().addPass(createPackPortsPass());
  // Movement that can become a view gets an operator of its own, so that no kernel contains it.
  pm.nest<mlir::func::FuncOp>().addPass(createExposeMovementPass());
  // Counters of loops and repeated initial values become operators, which form kernels.
  pm.nest<mlir::func::FuncOp>().addPass(createPrepareLoopsPass());
}

void buildForming(mlir::OpPassManager &pm) {
  // Before grouping: the operators of a softmax are grouped with their readers.
  pm.nest<mlir::func::FuncOp>().addPass(createExpandLossPass());
  // Before sums are divided: this one makes them shorter.
  pm.nest<mlir::func::FuncOp>().addPass(createSumEarlyPass());
  // Before products are divided: a position is a part.
  pm.nest<mlir::func::FuncOp>().addPass(createBatchPositionsPass());
  // Before other passes on products: operators may follow the sum of the parts.
  pm.nest<mlir::func::FuncOp>().addPass(createSplitSumsPass());
  // After movement: elementwise operators read the parts.
  pm.nest<mlir::func::FuncOp>().addPass(createPartProductsPass());
  pm.nest<mlir::func::FuncOp>().addPass(createPartHeadsPass());
  // After all changes that determine which operators share a product's kernel.
  pm.nest<mlir::func::FuncOp>().addPass(createBlockRowsPass());
  pm.addPass(createFormKernelsPass());
  pm.addPass(createAssignStoragesPass());
  // Storages are now part of a kernel, so equal kernels have equal code.
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
