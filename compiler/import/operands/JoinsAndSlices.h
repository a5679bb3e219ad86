// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of operands, and operands as parts, checked as every format asks.
//
// What: operands sliced, split, joined, stacked, gathered from and padded: the node's results are set, or an error reported.
// Why:  formats differ in where they say the axis and the sizes.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_JOINSANDSLICES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_JOINSANDSLICES_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// `x` along an axis in as many parts as the node has results.
void splitInto(OperandBinder &node, mlir::Value x, int64_t axis, Ints sizes);

/// In as many parts of one size as the node has results.
void splitEvenly(OperandBinder &node, mlir::Value x, int64_t axis);

/// Reads operand `index`, a list of sizes of the parts of an axis of `dim` elements. They add up to `dim`, so a run may compute one of them.
mlir::FailureOr<llvm::SmallVector<int64_t>> readSizesOfParts(OperandBinder &node, size_t index, int64_t dim);

/// In parts of the sizes that operand `index` holds; one may be -1: what is left.
void splitBySizes(OperandBinder &node, mlir::Value x, int64_t axis, size_t index);

/// Each index of an axis of operand 0 for itself, without the axis.
void unstack(OperandBinder &node, int64_t axis);

/// All operands, of one shape, along a new axis.
void stack(OperandBinder &node, int64_t axis);

/// Imports the part of operand 0 that begins at operand 1 and has the sizes of operand 2; -1 stands for the rest of an axis. A run may compute where
/// it begins.
void takePart(OperandBinder &node);

/// Of operand 0 what operands 1 to 3, begins, ends and strides, say by the node's masks (StridedSlices.h).
void takeStrided(OperandBinder &node, bool endIsOffset = false);

/// Operands [begin, begin + count), one at least, along an axis; and whether they can be joined so, or an error.
bool checkJoint(OperandBinder &node, size_t begin, size_t count, int64_t axis);
void concatenate(OperandBinder &node, size_t begin, size_t count, int64_t axis);

/// Of operand 0 what operand 1 names along an axis; of what is known all must be there.
void gatherAlong(OperandBinder &node, int64_t axis);

/// Operand 0 with so many elements more at the ends of each axis.
void padOperand(OperandBinder &node, nn::PadMode mode, Ints low, Ints high, double value);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_JOINSANDSLICES_H
