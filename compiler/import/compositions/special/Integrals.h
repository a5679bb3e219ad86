// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The incomplete gamma and beta functions: how much of an integral lies on one side of x, between 0 and 1.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_INTEGRALS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_INTEGRALS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

// Of t^(a-1) e^-t, whose integral over all t > 0 is gamma(a), for a > 0 and x >= 0; no number otherwise. Each has all digits where it is
// the smaller one.

/// The share from 0 to x; 0 for x = 0, whatever a is.
mlir::Value lowerGamma(NnBuilder &nn, mlir::Value a, mlir::Value x);
/// The share from x on.
mlir::Value upperGamma(NnBuilder &nn, mlir::Value a, mlir::Value x);

/// The share from 0 to x of the integral of t^(a-1) (1-t)^(b-1) from 0 to 1, for a, b > 0 and 0 <= x <= 1; no number otherwise.
mlir::Value lowerBeta(NnBuilder &nn, mlir::Value a, mlir::Value b, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_INTEGRALS_H
