// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves codes instead of reals (dequantized codes). Quantized models dequantize before an operator that only moves
// elements, and quantize after it with the same scale. Codes take a quarter of the memory, and integer operators can
// then read them directly. Weights are also transposed as codes.
//
// 1. Constants, in any graph: a dequantization moves to after the movement.
// 2. Other values, in passes that compute in integers: only between a dequantization and a quantization of equal scale.
//    If no quantization follows, the dequantization stays in the kernel before the movement.

#ifndef NACRE_COMPILER_GRAPH_MOVEDCODES_H
#define NACRE_COMPILER_GRAPH_MOVEDCODES_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

/// True if `a` and `b` are the same value, or equal constants.
bool isSameNumber(mlir::Value a, mlir::Value b);

/// Returns the dequantization that `value` is computed from only by movement, or null. It must have one constant scale
/// and zero point. Values in between must have no other readers.
nn::DequantizeOp findCodes(mlir::Value value);

/// Returns the codes of `value`: the operand of findCodes(), moved in the same way. findCodes() must not return null.
mlir::Value moveCodes(mlir::RewriterBase &rewriter, mlir::Value value);

/// Adds patterns that move the codes of dequantized constants.
void addMovedConstants(mlir::RewritePatternSet &patterns);

/// Adds the patterns of addMovedConstants(), and patterns that move codes between a dequantization and a quantization
/// of equal scale. The operator before them then stores codes instead of reals.
void addMovedCodes(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_MOVEDCODES_H
