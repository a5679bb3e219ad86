// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a function says which of its results are tensors from inside of the model, kept to be looked at.
// Why:   nacre-diff goes through a model node by node, in the model's order and words.
// How:   an attribute of a result, written by the import where values are kept; later phases pass it by.

#ifndef NACRE_DIALECTS_NN_KEPTVALUES_H
#define NACRE_DIALECTS_NN_KEPTVALUES_H

#include "llvm/ADT/StringRef.h"

namespace nacre::nn {

/// On a result that a node of the model computes, where values are kept: [number of the node, its name, its operator].
inline constexpr llvm::StringLiteral keptAttr = "nn.kept";

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_KEPTVALUES_H
