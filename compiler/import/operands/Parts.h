// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of operands, and operands as parts, checked as every format asks.
//
// What: operands split, joined, gathered from and padded: the node's results are set, or an error reported.
// Why:  formats differ in where they say the axis and the sizes.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_PARTS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_PARTS_H

#include "compiler/import/OperandBinder.h"

namespace nacre::importer {

/// `x` along an axis in as many parts as the node has results.
void splitInto(OperandBinder &node, mlir::Value x, int64_t axis, Ints sizes);

/// Operands [begin, begin + count), one at least, along an axis.
void concatenate(OperandBinder &node, size_t begin, size_t count, int64_t axis);

/// Of operand 0 what operand 1 names along an axis; of what is known all must be there.
void gatherAlong(OperandBinder &node, int64_t axis);

/// Operand 0 with so many elements more at the ends of each axis.
void padOperand(OperandBinder &node, nn::PadMode mode, Ints low, Ints high, double value);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_PARTS_H
