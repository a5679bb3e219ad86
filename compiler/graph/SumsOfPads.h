// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a sum of tensors that are zeros but for one slice each, beside one another, is their concat.
// Why:   what is sliced gives such a sum on its way back: each gate of a recurrent layer. A concat's parts are written in place; a
//        pad and a sum move all its elements once more for every part.
// How:   the terms of the whole tree of additions, by the axis and by where their slices begin.

#ifndef NACRE_COMPILER_GRAPH_SUMSOFPADS_H
#define NACRE_COMPILER_GRAPH_SUMSOFPADS_H

#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

void addSumsOfPads(mlir::RewritePatternSet &patterns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_SUMSOFPADS_H
