// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  marks the results of a function that are internal tensors of the model, kept for inspection.
// Why:   nacre-diff compares a model node by node, in the model's order and with its names.
// How:   the mark is an attribute of a result. The import writes it if values are kept. Later phases ignore it.

#ifndef NACRE_DIALECTS_NN_KEPTVALUES_H
#define NACRE_DIALECTS_NN_KEPTVALUES_H

#include "llvm/ADT/StringRef.h"

namespace nacre::nn {

/// Attribute of a result that a node of the model computes, if values are kept: [index of the node, its name, its
/// operator].
inline constexpr llvm::StringLiteral keptAttr = "nn.kept";

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_KEPTVALUES_H
