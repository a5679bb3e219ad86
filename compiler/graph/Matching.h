// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of values that several patterns of this phase match.

#ifndef NACRE_COMPILER_GRAPH_MATCHING_H
#define NACRE_COMPILER_GRAPH_MATCHING_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::graph {

/// Returns the constant that `value` is, or null.
mlir::ElementsAttr getConstant(mlir::Value value);

/// Returns whether `value` is a constant, or a dequantized one, of which a later pass may use the codes.
bool isConstant(mlir::Value value);

/// Returns whether `op` quantizes or dequantizes all elements by one scale and one zero point.
bool isCodingOfAll(mlir::Operation *op);

/// Returns the number that all elements of the constant `value` equal.
std::optional<double> getSplat(mlir::Value value);

/// Returns whether all elements of the constant `value` are `number`, rounded to its element type.
bool isSplatOf(mlir::Value value, double number);

/// Returns the defining operator of `value` if it is a unary or binary one of that kind.
nn::UnaryOp getUnary(mlir::Value value, nn::UnaryKind kind);
nn::BinaryOp getBinary(mlir::Value value, nn::BinaryKind kind);

/// Returns whether no element of `value` can be negative or -0: squares, magnitudes, exponentials, and their sums, means and products.
bool isNeverNegative(mlir::Value value);

/// Returns the other operand of a binary operator with the constant `number` on either side; null if neither side is.
mlir::Value getOtherThan(nn::BinaryOp op, double number);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_MATCHING_H
