// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks kernels of bytes in which the sum of two products always fits in 16 bits (plan::kPairsFit).
// Why: a CPU without dot products multiplies bytes to 16 bits and adds up pairs. If two products are added in 16 bits
//      first, this saves one of four instructions. Only -128 * -128 + -128 * -128 does not fit, and the weights are
//      known at compile time.

#ifndef NACRE_COMPILER_ENCODE_PAIRSFIT_H
#define NACRE_COMPILER_ENCODE_PAIRSFIT_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::encode {

/// Marks each contraction of signed bytes if all its weights are constant and contain no -128.
void notePairsFit(mlir::ModuleOp module);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PAIRSFIT_H
