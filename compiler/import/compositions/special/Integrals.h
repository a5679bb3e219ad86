// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The incomplete gamma and beta functions: the share of an integral, from 0 to 1, that lies on one side of x.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_INTEGRALS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_INTEGRALS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

// Shares of the integral of t^(a-1) e^-t over all t > 0, which is gamma(a). They are defined for a > 0 and x >= 0, else
// NaN. Each has all digits if it is the smaller one.

/// Returns the share from 0 to x; 0 for x = 0, whatever a is.
mlir::Value lowerGamma(NnBuilder &nn, mlir::Value a, mlir::Value x);
/// Returns the share from x on.
mlir::Value upperGamma(NnBuilder &nn, mlir::Value a, mlir::Value x);

/// Returns the share from 0 to x of the integral of t^(a-1) (1-t)^(b-1) from 0 to 1. Defined for a, b > 0 and 0 <= x <=
/// 1, else NaN.
mlir::Value lowerBeta(NnBuilder &nn, mlir::Value a, mlir::Value b, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_INTEGRALS_H
