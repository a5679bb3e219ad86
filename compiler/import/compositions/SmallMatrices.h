// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determinants, factorizations and linear systems of small matrices, unrolled.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SMALLMATRICES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SMALLMATRICES_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Largest size of a matrix. The number of operators grows with its cube.
constexpr int64_t mostMatrixRows = 8;

// Matrices are [..., n, n] with n <= `mostMatrixRows`. Other operands have the same leading axes.

mlir::Value determinant(NnBuilder &nn, mlir::Value matrices);

/// Returns X [..., n, m] with A X = B.
mlir::Value solve(NnBuilder &nn, mlir::Value a, mlir::Value b);

/// Solves the same for a triangular A; the other half of it is not read.
mlir::Value solveTriangular(NnBuilder &nn, mlir::Value a, mlir::Value b, bool isLower);

/// Returns the lower triangle L with A = L L^T. The upper half of A is not read.
mlir::Value cholesky(NnBuilder &nn, mlir::Value a);

/// L and U of P A = L U in one matrix: L below the diagonal, U from it on. `order` is P: the row of A for each row.
struct TriangularFactors {
  mlir::Value both, order;
};

TriangularFactors factorize(NnBuilder &nn, mlir::Value a);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SMALLMATRICES_H
