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

/// True if the model itself computes gradients in this function (`nn.gradient`), whether or not it is trained.
bool asksForGradients(mlir::func::FuncOp function);

/// Appends the pass that writes these gradients to `pm`, which runs on such a function. Recurrent layers must be loops
/// by now.
void buildGradients(mlir::OpPassManager &pm);

/// Appends the pass that names the steps of a model that trains itself. `pm` runs on a module whose gradients are
/// written.
void buildOwnSteps(mlir::OpPassManager &pm);

/// Appends the first part of the phase, which selects the trained weights. `pm` runs on a module.
void buildSelection(mlir::OpPassManager &pm, const TrainingOptions &options);

/// Appends the second part of the phase: loss, gradients, updates. Recurrent layers of the function `train` must be
/// loops by now.
void buildSteps(mlir::OpPassManager &pm, const TrainingOptions &options);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_PASSES_H
