// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of a term over a table of constants, for each element of a tensor.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_COLUMNS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_COLUMNS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns `x` with a new last axis of size 1, so that it broadcasts with a table.
mlir::Value toColumn(NnBuilder &nn, mlir::Value x);

/// Returns the sums along the last axis, which is removed.
mlir::Value sumRows(NnBuilder &nn, mlir::Value terms);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SPECIAL_COLUMNS_H
