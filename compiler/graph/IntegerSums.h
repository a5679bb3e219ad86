// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Merges the constants that are added to the sums of an integer contraction.
// Why:   A zero point, a bias and a sign each contribute one; the contraction's kernel should read one constant of each column.
// How:   Integers wrap, so the order of additions is free.

#ifndef NACRE_COMPILER_GRAPH_INTEGERSUMS_H
#define NACRE_COMPILER_GRAPH_INTEGERSUMS_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addIntegerSums(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_INTEGERSUMS_H
