// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determinants, factors and systems of small matrices, written out.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SMALLMATRICES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SMALLMATRICES_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// What is written out grows with the cube of the size.
constexpr int64_t mostMatrixRows = 8;

// Of matrices [..., n, n], n at most `mostMatrixRows`; what stands beside them has the same axes before the last two.

mlir::Value determinant(NnBuilder &nn, mlir::Value matrices);

/// X of [..., n, m] in A X = B.
mlir::Value solve(NnBuilder &nn, mlir::Value a, mlir::Value b);

/// The same where A is triangular; the other half of it is not read.
mlir::Value solveTriangular(NnBuilder &nn, mlir::Value a, mlir::Value b, bool isLower);

/// The lower triangle L of A = L L^T, of which the upper half is not read.
mlir::Value cholesky(NnBuilder &nn, mlir::Value a);

/// L and U of P A = L U, one below the diagonal and one from it on, and P: which row of A each row is of.
struct TriangularFactors {
  mlir::Value both, order;
};

TriangularFactors factorize(NnBuilder &nn, mlir::Value a);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SMALLMATRICES_H
