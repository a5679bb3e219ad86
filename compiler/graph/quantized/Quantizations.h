// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites quantizations so that they need no division per element. ONNX divides by the scale of the result, which
// takes as long as all other work of a sum of two tensors.
//
// 1. Bounds before a quantization become bounds of the codes.
// 2. The scale of a quantization is moved into the scales of its operands. For integer sums, which ONNX does not
//    define, this is always done. For codes, it is done only if each combination of codes keeps its result
//    (DefinedCodes.h).

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZATIONS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZATIONS_H

#include "compiler/graph/quantized/DefinedCodes.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

/// Returns the scale, zero point and bounds of `op`, if it quantizes f32 to integers of at most 16 bits. The scale and
/// zero point must be single constants. Otherwise, returns `nullopt`.
std::optional<Coder> readCoder(nn::QuantizeOp op);

/// Returns the range and scale of the operand of `op`. Returns `nullopt` unless `op` dequantizes integers of at most 16
/// bits to f32 with one constant scale and zero point.
std::optional<Steps> readSteps(nn::DequantizeOp op);

/// Returns the parameters of all quantizations that convert `value` to codes, perhaps after bounds and movement.
llvm::SmallVector<Coder> findCoders(mlir::Value value);

void addQuantizations(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZATIONS_H
