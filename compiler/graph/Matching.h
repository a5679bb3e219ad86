// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests properties of values for several patterns of this phase.

#ifndef NACRE_COMPILER_GRAPH_MATCHING_H
#define NACRE_COMPILER_GRAPH_MATCHING_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::graph {

/// Returns the data of the constant `value`, or null if it is not constant.
mlir::ElementsAttr getConstant(mlir::Value value);

/// True if `value` is a constant, or a dequantized constant whose codes a later pass may use.
bool isConstant(mlir::Value value);

/// True if `op` quantizes or dequantizes all elements with one scale and one zero point.
bool isCodingOfAll(mlir::Operation *op);

/// Returns the value of all elements of the constant `value`. Returns `nullopt` if they differ or `value` is not
/// constant.
std::optional<double> getSplat(mlir::Value value);

/// True if all elements of the constant `value` equal `number`, up to the rounding of its element type.
bool isSplatOf(mlir::Value value, double number);

/// Returns the defining operator of `value` if it is a unary (getUnary) or binary (getBinary) operator of `kind`, or
/// null.
nn::UnaryOp getUnary(mlir::Value value, nn::UnaryKind kind);
nn::BinaryOp getBinary(mlir::Value value, nn::BinaryKind kind);

/// True if no element of `value` can be negative or -0: squares, magnitudes, exponentials, and their sums, means and
/// products.
bool isNeverNegative(mlir::Value value);

/// Returns the operand that is not `number`, if the other operand is a constant with this value. Returns null if
/// neither is.
mlir::Value getOtherThan(nn::BinaryOp op, double number);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_MATCHING_H
