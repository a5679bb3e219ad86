// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the train phase, and the order in which they run.

#ifndef NACRE_COMPILER_TRAIN_PASSES_H
#define NACRE_COMPILER_TRAIN_PASSES_H

#include "compiler/train/TrainingOptions.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nacre::train {

#define GEN_PASS_DECL
#include "compiler/train/Passes.h.inc"

/// True if the model itself computes gradients in this function (nn.gradient), regardless of whether it is trained.
bool asksForGradients(mlir::func::FuncOp function);

/// Appends the pass that writes the gradients of nn.gradient to `pm`, a pipeline on functions. Recurrent layers must
/// already be loops.
void buildGradients(mlir::OpPassManager &pm);

/// Appends the pass that names the steps of a model that trains itself to `pm`, a pipeline on modules. Gradients must
/// already be written.
void buildOwnSteps(mlir::OpPassManager &pm);

/// Appends the first part of the phase, which selects the trained weights, to `pm`, a pipeline on modules.
void buildSelection(mlir::OpPassManager &pm, const TrainingOptions &options);

/// Appends the second part of the phase: loss, gradients, updates. Recurrent layers of the function `train` must
/// already be loops.
void buildSteps(mlir::OpPassManager &pm, const TrainingOptions &options);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_PASSES_H
