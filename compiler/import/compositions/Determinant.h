// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determinants of small matrices, written out.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_DETERMINANT_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_DETERMINANT_H

#include "compiler/import/NnBuilder.h"

namespace nacre::importer {

/// What is written out grows with the cube of the size.
constexpr int64_t maxDeterminant = 8;

/// The determinants of [..., n, n], n at most `maxDeterminant`.
mlir::Value determinant(NnBuilder &nn, mlir::Value matrices);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_DETERMINANT_H
