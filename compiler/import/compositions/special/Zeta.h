// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hurwitz' zeta function, and the derivatives of digamma, which are multiples of it.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_ZETA_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_ZETA_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// The sum of (q + k)^-s over k = 0, 1, ... Infinite for s = 1, and at q = 0, -1, -2 ... if s is even. No number at these q for another s,
/// for s < 1, and for q < 0 unless s is an integer.
mlir::Value zeta(NnBuilder &nn, mlir::Value s, mlir::Value q);

/// The derivative of digamma(x) of order n; no number unless n is an integer that is not negative.
mlir::Value polygamma(NnBuilder &nn, mlir::Value n, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_ZETA_H
