// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes optimizers as formulas of operators. Their results equal PyTorch's.

#ifndef NACRE_COMPILER_TRAIN_OPTIMIZERS_H
#define NACRE_COMPILER_TRAIN_OPTIMIZERS_H

#include "compiler/train/TrainingOptions.h"
#include "compiler/train/rules/Writer.h"

namespace nacre::train {

/// Scalars of a training step that the updates of all weights share.
struct StepNumbers {
  mlir::Value rate;                     ///< Learning rate.
  mlir::Value correction1, correction2; ///< Adam's 1 - beta^step for its first and its second beta.
};

/// Returns suffixes of variable names. The optimizer keeps one variable with each suffix for each weight.
llvm::SmallVector<llvm::StringRef> momentsOf(const Optimizer &optimizer);

/// True if the formula depends on the index of the step.
bool correctsBySteps(const Optimizer &optimizer);

/// Writes Adam's corrections for `step`, an i64 that begins at 1, and stores them in `numbers`.
void writeCorrections(Writer &write, const Optimizer &optimizer, mlir::Value step, mlir::Type elementType,
                      StepNumbers &numbers);

/// Returns the new value of `weight`. Replaces `moments`, which are in the order of momentsOf(), by their new values.
mlir::Value writeUpdate(Writer &write, const Optimizer &optimizer, const StepNumbers &numbers, mlir::Value weight,
                        mlir::Value gradient, llvm::MutableArrayRef<mlir::Value> moments);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_OPTIMIZERS_H
