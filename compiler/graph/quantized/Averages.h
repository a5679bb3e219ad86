// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites averages of codes. Sums of bytes are exact and fast. But some averages lie near the middle between two
// codes, and f32 operations in another order would round them to the other code. Users compare quantized models with
// runtimes that compute in floats.
//
// 1. Means over whole axes become sums of bytes, because runtimes use no common order for them. Averages of windows
//    also become sums of bytes, if all codes stay the same as in f32.
// 2. Other small windows before a quantization are computed in f32 as the model defines them: the sum of one cell after
//    the other, divided by the number of cells.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_AVERAGES_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_AVERAGES_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addAverages(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_AVERAGES_H
