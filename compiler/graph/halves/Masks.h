// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds masks: values that are added to the operand of a softmax. Numbers far below zero hide an element. Any of them
// hides it as well as the lowest f16 number does.

#ifndef NACRE_COMPILER_GRAPH_HALVES_MASKS_H
#define NACRE_COMPILER_GRAPH_HALVES_MASKS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace nacre::graph {

/// True if `op` moves masks, or adds them to other values, and if only softmaxes and such operators read its result.
bool masksSoftmax(mlir::Operation &op);

/// True if only softmaxes and operators that keep masks read `value`.
bool isMask(mlir::Value value);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_MASKS_H
