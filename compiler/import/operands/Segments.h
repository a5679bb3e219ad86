// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of one number combined to one row, checked as every format asks: the node's result is set, or an error reported.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_SEGMENTS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_SEGMENTS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

enum class SegmentKind { Sum, Mean, Prod, Max, Min };

/// Rows of operand 0, whose numbers operand 1 lists in order. Of no row a sum, a mean, a maximum and a minimum are 0, and a
/// product is 1.
void combineSegments(OperandBinder &node, SegmentKind kind);

/// Operand 1 numbers the first axes of operand 0 in any order, operand 2 says how many numbers there are; none of them is a mean. Of
/// no row a minimum is the largest number, and a maximum the smallest. A row of a negative number goes nowhere.
void combineUnsortedSegments(OperandBinder &node, SegmentKind kind);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_SEGMENTS_H
