// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks kernels of bytes in which the sum of two products always fits in 16 bits (plan::kPairsFit).
// Why: a CPU without dot products multiplies bytes to 16 bits and adds up pairs. Adding two products first saves one of
//      four instructions. Only -128 * -128 twice does not fit, and the weights are known at compile time.

#ifndef NACRE_COMPILER_ENCODE_PAIRSFIT_H
#define NACRE_COMPILER_ENCODE_PAIRSFIT_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::encode {

/// Marks each contraction of signed bytes all of whose weights are constants without -128.
void notePairsFit(mlir::ModuleOp module);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PAIRSFIT_H
