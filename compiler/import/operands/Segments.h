// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines the rows of each segment to one row, with the checks that every format needs. Each function sets the node's
// result or reports an error.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_SEGMENTS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_SEGMENTS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

enum class SegmentKind { Sum, Mean, Prod, Max, Min };

/// Combines the rows of operand 0. Operand 1 has the segment of each row, in ascending order. The result of an empty
/// segment is 0, or 1 for a product.
void combineSegments(OperandBinder &node, SegmentKind kind);

/// Combines slices of operand 0. Operand 1 has the segment of each slice, in any order; its shape is the first axes of
/// operand 0. Operand 2 is the number of segments. The minimum of an empty segment is the largest value of the type,
/// and the maximum is the smallest value. Slices with a negative segment are dropped. `kind` cannot be Mean.
void combineUnsortedSegments(OperandBinder &node, SegmentKind kind);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_SEGMENTS_H
