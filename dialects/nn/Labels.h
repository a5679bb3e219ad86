// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  marks those inputs of a function that are class labels.
// Why:   a label that is not a class would change neither the loss nor the weights, so a training run refuses it.
// How:   a note on the argument. The code that creates a loss writes it; packaging passes it to the runtime.

#ifndef NACRE_DIALECTS_NN_LABELS_H
#define NACRE_DIALECTS_NN_LABELS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace nacre::nn {

/// Two i64 on an integer input of class labels: the number of classes, and another number that is allowed. If no other
/// number is allowed, the second one is a class.
inline constexpr llvm::StringLiteral labelsAttr = "nn.labels";

/// Notes the number of `classes`, and `ignored`, on the function's input from which `labels` come through conversions
/// and reshapes. A no-op if there is no such input.
void noteLabels(mlir::Value labels, int64_t classes, std::optional<int64_t> ignored);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_LABELS_H
