// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the train phase and the order in which they run.

#ifndef NACRE_COMPILER_TRAIN_PASSES_H
#define NACRE_COMPILER_TRAIN_PASSES_H

#include "compiler/train/TrainingOptions.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nacre::train {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/train/Passes.h.inc"

/// Whether a function asks for gradients itself (`nn.gradient`), trained or not.
bool asksForGradients(mlir::func::FuncOp function);

/// Appends to `pm`, which runs on such a function, what writes them. Its recurrent layers are loops by now.
void buildGradients(mlir::OpPassManager &pm);

/// Appends to `pm`, which runs on a module, what names the steps of a model that trains itself. Its gradients are written by now.
void buildOwnSteps(mlir::OpPassManager &pm);

/// Appends the phase's first part to `pm`, which runs on a module: which weights are trained.
void buildSelection(mlir::OpPassManager &pm, const TrainingOptions &options);

/// Appends what follows: loss, gradients, updates. Recurrent layers of the function `train` are loops by now.
void buildSteps(mlir::OpPassManager &pm, const TrainingOptions &options);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_PASSES_H
