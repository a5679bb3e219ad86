// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which contractions of a quantized model are computed in floats, and why.
// Why:   such a layer is slow without any sign of it, so users are warned, and the report names each one.
// How:   nacre-recognize-quantized leaves a note on each function; the report takes it after the graph phase.

#ifndef NACRE_COMPILER_GRAPH_INFLOATS_H
#define NACRE_COMPILER_GRAPH_INFLOATS_H

#include "llvm/ADT/StringRef.h"

namespace nacre::graph {

/// On a function of a quantized model: an array of pairs, a contraction's location and the reason as the end of a sentence.
constexpr llvm::StringLiteral kInFloats = "nn.in_floats";

/// On such a function: the locations of the contractions that are computed in integers.
constexpr llvm::StringLiteral kInIntegers = "nn.in_integers";

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_INFLOATS_H
