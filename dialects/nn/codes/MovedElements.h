// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  operators that only move elements, and where an axis goes.
// Why:   what integers stand for is the same before and after them.

#ifndef NACRE_DIALECTS_NN_CODES_MOVEDELEMENTS_H
#define NACRE_DIALECTS_NN_CODES_MOVEDELEMENTS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace nacre::nn {

/// Returns the operands of which `op` moves elements, whatever they are; none if it does anything else.
mlir::OperandRange movedOperands(mlir::Operation *op);

/// Returns the axis of the result that `axis` of a moved operand becomes. It has the same indices in the same order; nothing if no
/// axis has.
std::optional<int64_t> axisOfResult(mlir::Operation *op, int64_t axis);

/// Returns the axis of each moved operand that becomes `axis` of the result; nothing if there is none.
std::optional<int64_t> axisOfOperand(mlir::Operation *op, int64_t axis);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CODES_MOVEDELEMENTS_H
