// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  recognizes operators that only move elements, and maps axes between their operands and result.
// Why:   such operators do not change the real values that integers represent.

#ifndef NACRE_DIALECTS_NN_CODES_MOVEDELEMENTS_H
#define NACRE_DIALECTS_NN_CODES_MOVEDELEMENTS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace nacre::nn {

/// Returns the operands whose elements `op` moves unchanged. Empty if `op` computes anything else.
mlir::OperandRange movedOperands(mlir::Operation *op);

/// Returns the axis of the result that corresponds to `axis` of a moved operand, with the same indices in the same
/// order. Returns `nullopt` if no axis does.
std::optional<int64_t> axisOfResult(mlir::Operation *op, int64_t axis);

/// Returns the axis of each moved operand that corresponds to `axis` of the result; `nullopt` if no axis does.
std::optional<int64_t> axisOfOperand(mlir::Operation *op, int64_t axis);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CODES_MOVEDELEMENTS_H
