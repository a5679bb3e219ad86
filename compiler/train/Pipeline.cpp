// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the train phase.

#include "compiler/train/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace nacre::train {

void buildGradients(mlir::OpPassManager &pm) {
  pm.addPass(createWriteGradientsPass());
  pm.addPass(mlir::createCSEPass());
}

void buildOwnSteps(mlir::OpPassManager &pm) { pm.addPass(createNameOwnStepsPass()); }

void buildSelection(mlir::OpPassManager &pm, const TrainingOptions &options) {
  SelectTrainablePassOptions select;
  llvm::append_range(select.trainable, options.trainable);
  llvm::append_range(select.frozen, options.frozen);
  pm.addPass(createSelectTrainablePass(select));
  pm.addPass(createTurnVariablesPass());
}

void buildSteps(mlir::OpPassManager &pm, const TrainingOptions &options) {
  DifferentiatePassOptions differentiate;
  llvm::append_range(differentiate.losses, options.losses);
  differentiate.scaleLoss = options.scalesLoss;
  pm.addPass(createDifferentiatePass(differentiate));
  // Rules write some values several times, and some values that nothing reads.
  pm.addNestedPass<mlir::func::FuncOp>(mlir::createCSEPass());
  pm.addPass(createSplitBatchPass());
  AddUpdatePassOptions update;
  update.optimizer = options.optimizer;
  update.clip = options.clip;
  update.accumulate = options.accumulate;
  update.scaleLoss = options.scalesLoss;
  llvm::append_range(update.entries, options.entries);
  pm.addPass(createAddUpdatePass(update));
}

} // namespace nacre::train
