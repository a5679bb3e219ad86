// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The incomplete gamma and beta functions: the share of an integral that lies on one side of x. A share is between 0
// and 1.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_INTEGRALS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_INTEGRALS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

// Shares of the integral of t^(a-1) e^-t over all t > 0, which is gamma(a). They are NaN unless a > 0 and x >= 0. The
// smaller of the two shares has all digits.

/// Returns the share from 0 to x. It is 0 for x = 0 and any a.
mlir::Value lowerGamma(NnBuilder &nn, mlir::Value a, mlir::Value x);
/// Returns the share from x to infinity.
mlir::Value upperGamma(NnBuilder &nn, mlir::Value a, mlir::Value x);

/// Returns the share from 0 to x of an integral from 0 to 1. The integrand is t^(a-1) (1-t)^(b-1). The share is NaN
/// unless a, b > 0 and 0 <= x <= 1.
mlir::Value lowerBeta(NnBuilder &nn, mlir::Value a, mlir::Value b, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_INTEGRALS_H
