// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagonals of matrices, checked as every format asks: the node's result is set, or an error reported.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_DIAGONALS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_DIAGONALS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Operand 0, [..., n], on the diagonals of matrices [..., n, n] of zeros.
void makeDiagonals(OperandBinder &node);

/// Operand 0, matrices, with operand 1 on their diagonals.
void replaceDiagonals(OperandBinder &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_DIAGONALS_H
