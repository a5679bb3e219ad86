// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Averages of codes, and interpolations between them.
// Why:   Sums of bytes are exact and fast. But an order of f32 operations rounds some averages to the other side of the middle between two
//        codes, and a quantized model is compared with one that computes in floats.
// How:   1. means over whole axes, for which runtimes have no common order, and averages of windows are sums of bytes if they all have the
//           same codes as in f32;
//        2. other small windows that are quantized are f32 as written: one cell after the other, divided by their number;
//        3. linear interpolation before a quantization is f32 in ONNX Runtime's order: each neighbour times the product of its weights.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_AVERAGES_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_AVERAGES_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addAverages(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_AVERAGES_H
