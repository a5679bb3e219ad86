// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small questions that several patterns of this phase ask about a value.

#ifndef NACRE_COMPILER_GRAPH_MATCHING_H
#define NACRE_COMPILER_GRAPH_MATCHING_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::graph {

/// The constant that `value` is, or null.
mlir::ElementsAttr getConstant(mlir::Value value);

/// The one number that all elements of the constant `value` have.
std::optional<double> getSplat(mlir::Value value);

/// Whether all elements of the constant `value` are `number`, up to the rounding of its element type.
bool isSplatOf(mlir::Value value, double number);

/// The defining operator of `value` if it is a unary or binary one of that kind.
nn::UnaryOp getUnary(mlir::Value value, nn::UnaryKind kind);
nn::BinaryOp getBinary(mlir::Value value, nn::BinaryKind kind);

/// Whether what `value` is computed by leaves nothing below zero, nor -0: squares, magnitudes, exponentials, and sums, means and products of such.
bool isNeverNegative(mlir::Value value);

/// The operand of a binary operator that is not the constant `number`, whichever side that is on; null if neither is.
mlir::Value getOtherThan(nn::BinaryOp op, double number);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_MATCHING_H
