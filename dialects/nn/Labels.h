// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a function says which inputs name classes.
// Why:   a label that is not a class would change neither the loss nor the weights, so a training run refuses it.
// How:   a note on the argument. Whoever writes a loss leaves it, packaging hands it to the runtime.

#ifndef NACRE_DIALECTS_NN_LABELS_H
#define NACRE_DIALECTS_NN_LABELS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace nacre::nn {

/// On an argument that is an input of integers which name classes: how many classes there are, and a number that is allowed
/// beside them, an array of two i64. Where no other number is allowed, the second one is a class.
inline constexpr llvm::StringLiteral labelsAttr = "nn.labels";

/// Notes that these are classes, or `ignored`, if they are an input of a function, converted and reshaped as it may be.
void noteLabels(mlir::Value labels, int64_t classes, std::optional<int64_t> ignored);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_LABELS_H
