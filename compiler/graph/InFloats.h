// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes which contractions of a quantized model are computed in floats, and why. Such a layer is slow without any
// visible sign, so users are warned, and the report names each one. nacre-recognize-quantized attaches the notes to
// functions; the report reads them after the graph phase.

#ifndef NACRE_COMPILER_GRAPH_INFLOATS_H
#define NACRE_COMPILER_GRAPH_INFLOATS_H

#include "llvm/ADT/StringRef.h"

namespace nacre::graph {

/// Attribute of a function of a quantized model: an array of pairs of a contraction's location and the reason as the
/// end of a sentence.
constexpr llvm::StringLiteral kInFloats = "nn.in_floats";

/// Attribute of such a function: locations of the contractions that are computed in integers.
constexpr llvm::StringLiteral kInIntegers = "nn.in_integers";

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_INFLOATS_H
