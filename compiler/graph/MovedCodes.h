// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Moves codes instead of the reals that they stand for.
// Why:   Quantized models dequantize before an operator that only moves elements, and quantize behind it with the same scale. The
//        codes are a quarter of the bytes, and what computes in integers finds them where it reads. Weights are turned as codes, too.
// How:   1. of constants: a dequantization goes behind what moves them, 2. of others: only where that saves it, as without a reader of
//        codes it belongs to the kernel before.

#ifndef NACRE_COMPILER_GRAPH_MOVEDCODES_H
#define NACRE_COMPILER_GRAPH_MOVEDCODES_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

/// Returns whether `a` and `b` are one value, or equal constants.
bool isSameNumber(mlir::Value a, mlir::Value b);

/// Returns the dequantization by constants, one for all elements, of which `value` is made by moving elements; null if it is not. Nothing
/// else reads what is in between.
nn::DequantizeOp findCodes(mlir::Value value);

/// Returns the codes of `value`, for which findCodes returns a dequantization: the same movement of its operand.
mlir::Value moveCodes(mlir::RewriterBase &rewriter, mlir::Value value);

void addMovedCodes(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_MOVEDCODES_H
