// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The losses, as formulas. Their gradients follow from these by the rules of the operators.

#ifndef NACRE_COMPILER_TRAIN_LOSSES_H
#define NACRE_COMPILER_TRAIN_LOSSES_H

#include "compiler/train/TrainingOptions.h"
#include "compiler/train/rules/Writer.h"

namespace nacre::train {

/// What stands for the loss's tensor: what a softmax or a logistic function made is taken for what it was made of.
struct LossOperand {
  mlir::Value value;
  int64_t classes = -1;  ///< the axis of a softmax
  bool isPeeled = false; ///< whether it is another than the tensor that was named
};

LossOperand findOperand(const Loss &loss, mlir::Value tensor);

/// The type of the labels; null where there are none.
mlir::RankedTensorType labelTypeOf(const Loss &loss, const LossOperand &operand);

/// The mean over the batch, a scalar, without the factor. `label` is null where there is none.
mlir::Value writeLoss(Writer &write, const Loss &loss, const LossOperand &operand, mlir::Value label);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_LOSSES_H
