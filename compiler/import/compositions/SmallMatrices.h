// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determinants, factorizations and linear systems of small matrices, unrolled.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SMALLMATRICES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SMALLMATRICES_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Largest number of rows of a matrix. The number of operators grows with its cube.
constexpr int64_t mostMatrixRows = 8;

// In these functions, matrices are [..., n, n] with n <= `mostMatrixRows`. Other operands have the same leading axes.

mlir::Value determinant(NnBuilder &nn, mlir::Value matrices);

/// Returns X [..., n, m], the solution of A X = B.
mlir::Value solve(NnBuilder &nn, mlir::Value a, mlir::Value b);

/// Solves A X = B for a triangular A. Does not read the other half of A.
mlir::Value solveTriangular(NnBuilder &nn, mlir::Value a, mlir::Value b, bool isLower);

/// Returns the lower triangle L for which A = L L^T. Does not read the upper half of A.
mlir::Value cholesky(NnBuilder &nn, mlir::Value a);

/// L and U of P A = L U in one matrix: L is below the diagonal, and U is the rest. `order` is P: the index in A of each
/// row.
struct TriangularFactors {
  mlir::Value both, order;
};

TriangularFactors factorize(NnBuilder &nn, mlir::Value a);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SMALLMATRICES_H
