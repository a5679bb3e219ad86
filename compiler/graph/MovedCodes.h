// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves codes instead of the reals that they stand for. Quantized models dequantize before an operator that only moves
// elements, and quantize after it with the same scale. Codes are a quarter of the bytes, and integer operators then
// read them directly. Weights are transposed as codes, too.
//
// 1. Constants, in any graph: a dequantization moves after their movement.
// 2. Other values, in passes that compute in integers: only between codes of one scale. Without a reader of codes, a
//    dequantization belongs to the kernel before the movement.

#ifndef NACRE_COMPILER_GRAPH_MOVEDCODES_H
#define NACRE_COMPILER_GRAPH_MOVEDCODES_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

/// True if `a` and `b` are one value, or equal constants.
bool isSameNumber(mlir::Value a, mlir::Value b);

/// Returns the dequantization, by one constant scale and zero point, from which `value` results only by movement; else
/// null. Values in between have no other readers.
nn::DequantizeOp findCodes(mlir::Value value);

/// Returns the codes of `value`, for which findCodes must return a dequantization: the same movement of its operand.
mlir::Value moveCodes(mlir::RewriterBase &rewriter, mlir::Value value);

/// Adds patterns that move the codes of dequantized constants.
void addMovedConstants(mlir::RewritePatternSet &patterns);

/// Also adds patterns that move codes between a dequantization and a quantization of one scale. The operator before
/// them then stores codes instead of the reals that it computes.
void addMovedCodes(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_MOVEDCODES_H
