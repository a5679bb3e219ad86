// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites a sum of zero-padded tensors, whose nonzero ranges are adjacent, to a concat. Gradients of slices are such
// sums, for example for the gates of a recurrent layer. The parts of a concat are written in place, whereas pads and
// sums move all elements once more per part. The pattern collects the terms of the whole tree of additions. It sorts
// them by axis and by the start of their ranges.

#ifndef NACRE_COMPILER_GRAPH_SIMPLIFY_SUMSOFPADS_H
#define NACRE_COMPILER_GRAPH_SIMPLIFY_SUMSOFPADS_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addSumsOfPads(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_SIMPLIFY_SUMSOFPADS_H
