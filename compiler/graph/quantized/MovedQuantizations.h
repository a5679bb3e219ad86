// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Moves quantizations to where reals are computed, and dequantizations to where reals are needed.
// Why:   What lies between is then moved as bytes; a kernel rounds what it has computed, and converts what it reads, for nothing.
// How:   1. a quantization goes above movement: of a concat, each part is quantized; 2. a dequantization goes below it.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_MOVEDQUANTIZATIONS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_MOVEDQUANTIZATIONS_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addMovedQuantizations(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_MOVEDQUANTIZATIONS_H
