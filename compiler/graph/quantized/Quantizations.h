// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizes without a division per element. ONNX divides by the scale of the result, which takes as long as the rest of
// a sum of two tensors.
//
// 1. Bounds before a quantization become bounds of the codes.
// 2. The scale of a quantization moves up into the scales of its operands. For integer sums, which ONNX does not
//    define, it always does. For codes, it does only if each combination of codes has the same result (DefinedCodes.h).

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZATIONS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZATIONS_H

#include "compiler/graph/quantized/DefinedCodes.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

/// Returns the coder of `op` if it quantizes f32 to integers of at most 16 bits with one constant scale and zero point.
std::optional<Coder> readCoder(nn::QuantizeOp op);

/// Returns the range of steps if `op` dequantizes integers of at most 16 bits to f32 with one constant scale and zero
/// point.
std::optional<Steps> readSteps(nn::DequantizeOp op);

void addQuantizations(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZATIONS_H
