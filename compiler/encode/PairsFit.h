// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  notes on kernels of bytes that two of their products add up to a number of 16 bits (plan::kPairsFit).
// Why:   without dot products a CPU multiplies bytes to 16 bits and adds these up in pairs. Two products before that make
//        it three instructions instead of four, and only -128 * -128 twice does not fit. Weights are known when a model is compiled.

#ifndef NACRE_COMPILER_ENCODE_PAIRSFIT_H
#define NACRE_COMPILER_ENCODE_PAIRSFIT_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::encode {

/// Notes it on each contraction of bytes with a sign that only multiplies by weights without a -128.
void notePairsFit(mlir::ModuleOp module);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PAIRSFIT_H
