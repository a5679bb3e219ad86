// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimizers, as formulas: PyTorch's.

#ifndef NACRE_COMPILER_TRAIN_OPTIMIZERS_H
#define NACRE_COMPILER_TRAIN_OPTIMIZERS_H

#include "compiler/train/TrainingOptions.h"
#include "compiler/train/rules/Writer.h"

namespace nacre::train {

/// What all weights of a step share.
struct StepNumbers {
  mlir::Value rate;                     ///< the learning rate, a scalar
  mlir::Value correction1, correction2; ///< Adam's 1 - beta^step, scalars
};

/// What an optimizer keeps for each weight: the ends of the names.
llvm::SmallVector<llvm::StringRef> momentsOf(const Optimizer &optimizer);

/// Whether the formula has the number of the step.
bool correctsBySteps(const Optimizer &optimizer);

/// Adam's corrections, of the number of the step, an i64 that begins with 1.
void writeCorrections(Writer &write, const Optimizer &optimizer, mlir::Value step, mlir::Type elementType,
                      StepNumbers &numbers);

/// What weight and moments become: `moments`, in the order of momentsOf, are replaced. Returns the weight.
mlir::Value writeUpdate(Writer &write, const Optimizer &optimizer, const StepNumbers &numbers, mlir::Value weight,
                        mlir::Value gradient, llvm::MutableArrayRef<mlir::Value> moments);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_OPTIMIZERS_H
