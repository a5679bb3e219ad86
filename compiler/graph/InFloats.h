// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records which contractions of a quantized model are computed in floats, and why. Users cannot see otherwise that such
// a layer is slow. So they are warned, and the report names each layer. nacre-recognize-quantized adds the attributes
// to functions. The report reads them after the graph phase.

#ifndef NACRE_COMPILER_GRAPH_INFLOATS_H
#define NACRE_COMPILER_GRAPH_INFLOATS_H

#include "llvm/ADT/StringRef.h"

namespace nacre::graph {

/// Attribute of a function of a quantized model: an array of pairs. A pair has the location of a contraction and the
/// reason, as the end of a sentence.
constexpr llvm::StringLiteral kInFloats = "nn.in_floats";

/// Attribute of a function of a quantized model: locations of the contractions that are computed in integers.
constexpr llvm::StringLiteral kInIntegers = "nn.in_integers";

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_INFLOATS_H
