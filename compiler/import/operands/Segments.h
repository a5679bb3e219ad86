// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines the rows of each segment to one row, with the checks that every format needs. Each function sets the node's
// result or reports an error.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_SEGMENTS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_SEGMENTS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

enum class SegmentKind { Sum, Mean, Prod, Max, Min };

/// Combines the rows of operand 0; operand 1 lists their segments in ascending order. Empty segments are 0, or 1 for a
/// product.
void combineSegments(OperandBinder &node, SegmentKind kind);

/// Combines slices of operand 0. Operand 1 has the segments of its first axes in any order, and operand 2 the number of
/// segments. An empty segment has the largest number as its minimum, and the smallest as its maximum. Slices with a
/// negative segment are dropped. There is no mean.
void combineUnsortedSegments(OperandBinder &node, SegmentKind kind);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_SEGMENTS_H
