// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a fact of the tables of `nn.resample`, on which its type depends, too.

#ifndef NACRE_DIALECTS_NN_RESAMPLETABLES_H
#define NACRE_DIALECTS_NN_RESAMPLETABLES_H

#include "mlir/IR/BuiltinAttributes.h"

namespace nacre::nn {

/// True if a table of weights of `nn.resample` only moves elements.
bool isTableOfMoves(mlir::DenseElementsAttr weights);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_RESAMPLETABLES_H
