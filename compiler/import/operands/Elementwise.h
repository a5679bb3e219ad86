// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of many operands and selections between two, with the checks that every format needs. Each function sets the
// node's result or reports an error.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_ELEMENTWISE_H
#define NACRE_COMPILER_IMPORT_OPERANDS_ELEMENTWISE_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Adds all operands, which must have the same shape.
void addUp(OperandBinder &node);

/// Selects operand 1 where operand 0 is true, and operand 2 elsewhere. All three broadcast.
void choose(OperandBinder &node);

/// Selects between operands 1 and 2, which have the same shape. Operand 0 is one boolean, one per row, or one per
/// element.
void chooseRows(OperandBinder &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_ELEMENTWISE_H
