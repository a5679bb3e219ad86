// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a convolution or product in integers if its operands are dequantized bytes. Integers are exact, take a
// quarter of the memory, and multiply two to four times as fast.
//
// The formula is sum (x - zx)(w - zw) = sum xw - zx sum w - zw (sum x - K zx). If constant weights minus their zero
// points fit 8 bits, they are stored in this form, so that only one constant per column remains. Sums wrap, so their
// order is free, and intermediate overflows don't matter.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_INTEGERCONTRACTIONS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_INTEGERCONTRACTIONS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"
#include <string>
#include <variant>

namespace nacre::graph {

/// Dequantizations of both operands of a contraction.
struct QuantizedOperands {
  nn::DequantizeOp left, right;
  int64_t largestSum; ///< Upper bound of the magnitude of any sum of products.
};

/// Returns the dequantized operands of `contraction` (nn.conv or nn.matmul) if it can be computed in integers.
/// Otherwise, returns the reason as the end of a sentence.
std::variant<QuantizedOperands, std::string> findQuantizedOperands(mlir::Operation *contraction);

/// Returns the reals of `sums`, sums of products of the codes of `operands`.
mlir::Value scaleSums(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value sums, QuantizedOperands operands);

/// Replaces `contraction` by a contraction of bytes whose result is converted to reals and scaled. Returns the new
/// contraction. If sums of the right operand's columns are not constant, the left operand gets the signedness
/// `unsignedLeft` here. Otherwise, nacre-choose-signs changes it later.
mlir::Operation *computeInIntegers(mlir::RewriterBase &rewriter, mlir::Operation *contraction,
                                   QuantizedOperands operands, bool unsignedLeft);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_INTEGERCONTRACTIONS_H
