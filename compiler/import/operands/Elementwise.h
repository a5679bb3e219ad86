// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of many operands and choices between two, checked as every format asks: the node's result is set, or an error reported.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_ELEMENTWISE_H
#define NACRE_COMPILER_IMPORT_OPERANDS_ELEMENTWISE_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// The sum of all operands, which have one shape.
void addUp(OperandBinder &node);

/// Operand 1 where operand 0 is true, operand 2 elsewhere; all broadcast.
void choose(OperandBinder &node);

/// The same of operands 1 and 2 of one shape, by one boolean, one for each row, or one for each element.
void chooseRows(OperandBinder &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_ELEMENTWISE_H
