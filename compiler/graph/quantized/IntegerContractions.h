// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a convolution or product of reals that stand for bytes, as one of the bytes.
// Why:   integers are exact, a quarter of the bytes, and multiplied two to four times as fast.
// How:   sum (x - zx)(w - zw) = sum xw - zx sum w - zw (sum x - K zx). Constant weights are centred if 8 bits hold the result, so that
//        only a constant of each column remains. Sums wrap, so their order is free, and what is too large on the way is right in the end.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_INTEGERCONTRACTIONS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_INTEGERCONTRACTIONS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"
#include <string>
#include <variant>

namespace nacre::graph {

/// The bytes that both operands of a contraction stand for.
struct QuantizedOperands {
  nn::DequantizeOp left, right;
  int64_t largestSum; ///< The magnitude that no sum of products exceeds.
};

/// Returns the bytes of `contraction` (nn.conv or nn.matmul) if integers can compute it, or why they cannot, as the end of a sentence.
std::variant<QuantizedOperands, std::string> findQuantizedOperands(mlir::Operation *contraction);

/// Replaces `contraction` by one of bytes, converted to reals and scaled. `unsignedLeft` is the sign of a left operand by whose sum no
/// constant is multiplied. Returns the new contraction.
mlir::Operation *computeInIntegers(mlir::RewriterBase &rewriter, mlir::Operation *contraction,
                                   QuantizedOperands operands, bool unsignedLeft);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_INTEGERCONTRACTIONS_H
