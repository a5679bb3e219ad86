// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagonals of matrices, with the checks that every format needs. Each function sets the node's result or reports an
// error.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_DIAGONALS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_DIAGONALS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Returns matrices [..., n, n] that are 0 except for their diagonals, which are the rows of operand 0, [..., n].
void makeDiagonals(OperandBinder &node);

/// Replaces the diagonals of the matrices in operand 0 by operand 1.
void replaceDiagonals(OperandBinder &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_DIAGONALS_H
