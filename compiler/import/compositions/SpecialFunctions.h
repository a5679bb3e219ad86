// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gamma function's logarithm, and the slope of that.
//
// How:  in f64 whatever the operand: near the zeros of both what is left is a difference of large numbers. So floats have all
//       digits, and f64 as many as its own rounding leaves.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIALFUNCTIONS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIALFUNCTIONS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// log |gamma(x)|; infinite at 0, -1, -2 ...
mlir::Value logGamma(NnBuilder &nn, mlir::Value x);

/// Its derivative; no number at 0, -1, -2 ...
mlir::Value digamma(NnBuilder &nn, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIALFUNCTIONS_H
