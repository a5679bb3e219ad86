// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes losses as formulas of operators. Rules for these operators give the gradients.

#ifndef NACRE_COMPILER_TRAIN_LOSSES_H
#define NACRE_COMPILER_TRAIN_LOSSES_H

#include "compiler/train/TrainingOptions.h"
#include "compiler/train/rules/Writer.h"

namespace nacre::train {

/// Tensor from which a loss is computed. If the named tensor is the result of a softmax or logistic function, this is
/// the operand of that function.
struct LossOperand {
  mlir::Value value;
  int64_t classes = -1;  ///< Axis of the softmax's classes.
  bool isPeeled = false; ///< True if it is not the named tensor but the operand.
};

LossOperand findOperand(const Loss &loss, mlir::Value tensor);

/// Returns the type of the labels, or null if the loss has no labels.
mlir::RankedTensorType labelTypeOf(const Loss &loss, const LossOperand &operand);

/// Returns the mean over the batch as a scalar, before the multiplication by the factor of the loss. `label` is null if
/// the loss has no labels.
mlir::Value writeLoss(Writer &write, const Loss &loss, const LossOperand &operand, mlir::Value label);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_LOSSES_H
