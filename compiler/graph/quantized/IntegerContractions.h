// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a convolution or product in integers if its operands are reals that stand for bytes. Integers are exact,
// take a quarter of the memory, and multiply two to four times as fast.
//
// sum (x - zx)(w - zw) = sum xw - zx sum w - zw (sum x - K zx). Constant weights are centred if the result fits 8 bits,
// so that only one constant per column remains. Sums wrap, so their order is free, and intermediate overflows don't
// matter.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_INTEGERCONTRACTIONS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_INTEGERCONTRACTIONS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"
#include <string>
#include <variant>

namespace nacre::graph {

/// Bytes that both operands of a contraction stand for.
struct QuantizedOperands {
  nn::DequantizeOp left, right;
  int64_t largestSum; ///< Upper bound of the magnitude of all sums of products.
};

/// Returns the bytes of `contraction` (nn.conv or nn.matmul) if integers can compute it. Otherwise, returns the reason
/// as the end of a sentence.
std::variant<QuantizedOperands, std::string> findQuantizedOperands(mlir::Operation *contraction);

/// Replaces `contraction` by one of bytes, converted to reals and scaled, and returns the new contraction. If sums of
/// the right columns are not constant, the left operand gets the sign `unsignedLeft` here; else nacre-choose-signs
/// changes it.
mlir::Operation *computeInIntegers(mlir::RewriterBase &rewriter, mlir::Operation *contraction,
                                   QuantizedOperands operands, bool unsignedLeft);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_INTEGERCONTRACTIONS_H
