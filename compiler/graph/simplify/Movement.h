// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simplifies data movement: transposes, gathers, concats and reductions that become reshapes or slices.

#ifndef NACRE_COMPILER_GRAPH_SIMPLIFY_MOVEMENT_H
#define NACRE_COMPILER_GRAPH_SIMPLIFY_MOVEMENT_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addMovement(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_SIMPLIFY_MOVEMENT_H
