// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of many operands and choices between two, with the checks that every format needs. Each function sets the node's
// result or reports an error.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_ELEMENTWISE_H
#define NACRE_COMPILER_IMPORT_OPERANDS_ELEMENTWISE_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Adds all operands, which must have one shape.
void addUp(OperandBinder &node);

/// Selects operand 1 where operand 0 is true, else operand 2. All broadcast.
void choose(OperandBinder &node);

/// Selects between operands 1 and 2 of one shape by one boolean, by one per row, or by one per element.
void chooseRows(OperandBinder &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_ELEMENTWISE_H
