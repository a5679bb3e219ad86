// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses, as formulas of operators. Their gradients follow from the rules of these operators.

#ifndef NACRE_COMPILER_TRAIN_LOSSES_H
#define NACRE_COMPILER_TRAIN_LOSSES_H

#include "compiler/train/TrainingOptions.h"
#include "compiler/train/rules/Writer.h"

namespace nacre::train {

/// Tensor that a loss is computed from. If the named tensor is the result of a softmax or logistic function, it is the
/// operand of that function.
struct LossOperand {
  mlir::Value value;
  int64_t classes = -1;  ///< Axis of the softmax's classes.
  bool isPeeled = false; ///< True if it is not the tensor that was named.
};

LossOperand findOperand(const Loss &loss, mlir::Value tensor);

/// Returns the type of the labels; null if the loss has no labels.
mlir::RankedTensorType labelTypeOf(const Loss &loss, const LossOperand &operand);

/// Returns the mean over the batch, a scalar, without the loss's factor. `label` is null if the loss has no labels.
mlir::Value writeLoss(Writer &write, const Loss &loss, const LossOperand &operand, mlir::Value label);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_LOSSES_H
