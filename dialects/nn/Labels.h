// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  marks the inputs of a function that are class labels.
// Why:   a label outside of the classes would change neither the loss nor the weights, so a training run rejects it.
// How:   the mark is a note on the argument. The code that creates a loss writes it. Packaging passes it to the
//        runtime.

#ifndef NACRE_DIALECTS_NN_LABELS_H
#define NACRE_DIALECTS_NN_LABELS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace nacre::nn {

/// Two i64 on an integer input of class labels: the number of classes, and one more valid label. If there is no such
/// label, the second i64 is a class.
inline constexpr llvm::StringLiteral labelsAttr = "nn.labels";

/// Sets the note, with `classes` and `ignored`, on the input of the function from which conversions and reshapes give
/// `labels`. A no-op if `labels` has no such input.
void noteLabels(mlir::Value labels, int64_t classes, std::optional<int64_t> ignored);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_LABELS_H
