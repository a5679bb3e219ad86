// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizers, as formulas of operators. They compute the same as PyTorch's.

#ifndef NACRE_COMPILER_TRAIN_OPTIMIZERS_H
#define NACRE_COMPILER_TRAIN_OPTIMIZERS_H

#include "compiler/train/TrainingOptions.h"
#include "compiler/train/rules/Writer.h"

namespace nacre::train {

/// Scalars that all weights of a step share.
struct StepNumbers {
  mlir::Value rate;                     ///< Learning rate.
  mlir::Value correction1, correction2; ///< Adam's 1 - beta^step for both betas.
};

/// Returns the suffixes of the names of the variables that an optimizer keeps for each weight.
llvm::SmallVector<llvm::StringRef> momentsOf(const Optimizer &optimizer);

/// True if the formula depends on the number of the step.
bool correctsBySteps(const Optimizer &optimizer);

/// Writes Adam's corrections for `step`, an i64 that begins at 1.
void writeCorrections(Writer &write, const Optimizer &optimizer, mlir::Value step, mlir::Type elementType,
                      StepNumbers &numbers);

/// Returns the new value of the weight, and replaces `moments`, in the order of momentsOf, by their new values.
mlir::Value writeUpdate(Writer &write, const Optimizer &optimizer, const StepNumbers &numbers, mlir::Value weight,
                        mlir::Value gradient, llvm::MutableArrayRef<mlir::Value> moments);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_OPTIMIZERS_H
