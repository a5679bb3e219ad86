// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Quantizations without a division of each element.
// Why:   ONNX divides by the scale of the result, which takes as long as all the rest of a sum of two tensors.
// How:   1. bounds before a quantization become bounds of the codes; 2. the scale of a quantization moves up into the scales of what it
//        quantizes: always into those of integer sums, which ONNX does not define; into those of codes only if each combination of codes
//        has the same result (DefinedCodes.h).

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZATIONS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZATIONS_H

#include "compiler/graph/quantized/DefinedCodes.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

/// Returns how `op` quantizes if it is from f32 to integers of up to 16 bits by constants, one for all elements.
std::optional<Coder> readCoder(nn::QuantizeOp op);

/// Returns the steps that the codes of `op` may have, if it dequantizes integers of up to 16 bits to f32 by constants, one for all elements.
std::optional<Steps> readSteps(nn::DequantizeOp op);

void addQuantizations(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZATIONS_H
