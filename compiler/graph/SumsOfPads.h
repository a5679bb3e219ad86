// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites a sum of zero-padded tensors, whose slices are adjacent, to their concat. The gradient of slices is such a
// sum, for example for the gates of a recurrent layer. The parts of a concat are written in place; pads and sums move
// all elements once more per part. The pattern collects the terms of the whole tree of additions, sorted by axis and by
// the start of their slices.

#ifndef NACRE_COMPILER_GRAPH_SUMSOFPADS_H
#define NACRE_COMPILER_GRAPH_SUMSOFPADS_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addSumsOfPads(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_SUMSOFPADS_H
