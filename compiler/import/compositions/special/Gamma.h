// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gamma function's logarithm, and the slope of that.
//
// How:  All functions of this folder compute in f64, whatever the operand: near their zeros they are differences of large numbers. So
//       results of narrower types have all digits, and those of f64 as many as its own rounding leaves.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_GAMMA_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_GAMMA_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// log |gamma(x)|; infinite at 0, -1, -2 ...
mlir::Value logGamma(NnBuilder &nn, mlir::Value x);

/// Its derivative; no number at 0, -1, -2 ...
mlir::Value digamma(NnBuilder &nn, mlir::Value x);

/// log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2), for x > 0 in f64. Has few digits less than x, however large x is.
mlir::Value stirlingError(NnBuilder &nn, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_GAMMA_H
