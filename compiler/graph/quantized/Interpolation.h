// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites linear interpolation between codes. Before a quantization, it is computed in f32 in ONNX Runtime's order:
// each neighbour times the product of its weights. Another order could round results near the middle between two codes
// to the other code.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_INTERPOLATION_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_INTERPOLATION_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addInterpolation(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_INTERPOLATION_H
