// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the kernels phase. The order of the passes matters:

#include "compiler/kernels/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace nacre::kernels {

void buildPreparation(mlir::OpPassManager &pm) {
  // Runs first: the other passes then see only whole bytes per element, not packed inputs and outputs.
  pm.nest<mlir::func::FuncOp>().addPass(createPackPortsPass());
  // Movement that can become a view gets a separate operator, so that no kernel contains it.
  pm.nest<mlir::func::FuncOp>().addPass(createExposeMovementPass());
  // Counters of loops and repeated initial values become operators, which form kernels.
  pm.nest<mlir::func::FuncOp>().addPass(createPrepareLoopsPass());
}

void buildForming(mlir::OpPassManager &pm) {
  // Runs before grouping, because the operators of a softmax are grouped with their readers.
  pm.nest<mlir::func::FuncOp>().addPass(createExpandLossPass());
  // Runs before sums are divided, because it makes them shorter.
  pm.nest<mlir::func::FuncOp>().addPass(createSumEarlyPass());
  // Runs before products are divided, because each position is already a part.
  pm.nest<mlir::func::FuncOp>().addPass(createBatchPositionsPass());
  // Runs before other passes on products, because the sum of the parts then ends the product.
  pm.nest<mlir::func::FuncOp>().addPass(createSplitSumsPass());
  // Runs after movement is exposed, because elementwise operators then read the parts of a product.
  pm.nest<mlir::func::FuncOp>().addPass(createPartProductsPass());
  pm.nest<mlir::func::FuncOp>().addPass(createPartHeadsPass());
  // Runs after all changes that decide which operators share a product's kernel.
  pm.nest<mlir::func::FuncOp>().addPass(createBlockRowsPass());
  // Runs last on operators, because a loop's plan depends on all operators inside of it.
  pm.nest<mlir::func::FuncOp>().addPass(createMarkLoopsPass());
  pm.addPass(createFormKernelsPass());
  pm.addPass(createAssignStoragesPass());
  // Weights have no encodings yet, and encodings are chosen for all launches of a weight.
  pm.addPass(createShareWeightsPass());
  // Kernels now contain the layout of their storages, so equal kernels have equal code.
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
