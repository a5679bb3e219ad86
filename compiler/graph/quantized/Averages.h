// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites averages of codes and interpolations between them. Sums of bytes are exact and fast. But f32 operations in
// another order round some averages to the other side of the middle between two codes. Quantized models are compared
// with runtimes that compute in floats.
//
// 1. Means over whole axes, for which runtimes have no common order, become sums of bytes. So do averages of windows
//    that all have the same codes as in f32.
// 2. Other small windows that are quantized are computed in f32 as written: one cell after the other, divided by their
//    number.
// 3. Linear interpolation before a quantization is f32 in ONNX Runtime's order: each neighbour times the product of its
//    weights.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_AVERAGES_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_AVERAGES_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addAverages(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_AVERAGES_H
