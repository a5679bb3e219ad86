// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hurwitz' zeta function, and the derivatives of digamma, which are multiples of it.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_ZETA_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_ZETA_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns the sum of (q + k)^-s over k >= 0, or NaN if it is undefined. The sum is infinite if s = 1, or if s is even
/// and q is 0 or a negative integer. The result is NaN for other s at these q. It is also NaN for s < 1, and for q < 0
/// unless s is an integer.
mlir::Value zeta(NnBuilder &nn, mlir::Value s, mlir::Value q);

/// Returns the derivative of order n of digamma(x). It is NaN unless n is a non-negative integer.
mlir::Value polygamma(NnBuilder &nn, mlir::Value n, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_ZETA_H
