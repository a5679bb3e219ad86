// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the constants that are added to the sums of an integer contraction. A zero point, a bias and a change of sign
// each add one. The kernel of the contraction should read only one constant per column. Integers wrap, so the order of
// additions is free.

#ifndef NACRE_COMPILER_GRAPH_SIMPLIFY_INTEGERSUMS_H
#define NACRE_COMPILER_GRAPH_SIMPLIFY_INTEGERSUMS_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addIntegerSums(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_SIMPLIFY_INTEGERSUMS_H
