// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves quantizations to the operators that compute reals, and dequantizations to their readers. Values in between are
// then moved as bytes. Kernels can round their results and convert their operands at no cost.
//
// 1. A quantization moves to before data movement. Each part of a concat gets its own quantization.
// 2. A dequantization moves to after data movement.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_MOVEDQUANTIZATIONS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_MOVEDQUANTIZATIONS_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addMovedQuantizations(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_MOVEDQUANTIZATIONS_H
