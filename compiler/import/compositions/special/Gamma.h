// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logarithm of the gamma function, and its derivatives.
//
// The functions of this folder compute in f64 for every operand type. Near their zeros, they are differences of large
// numbers. So results of narrower types have all digits. Results of f64 lose only the digits that rounding of the terms
// costs.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_GAMMA_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_GAMMA_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns log |gamma(x)|; infinite at 0, -1, -2, ...
mlir::Value logGamma(NnBuilder &nn, mlir::Value x);

/// Returns the derivative of log gamma(x); NaN at 0, -1, -2, ...
mlir::Value digamma(NnBuilder &nn, mlir::Value x);

/// Returns the error of Stirling's formula in f64 for x > 0. It loses few digits, even for large x. The error is log
/// gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2).
mlir::Value stirlingError(NnBuilder &nn, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_GAMMA_H
