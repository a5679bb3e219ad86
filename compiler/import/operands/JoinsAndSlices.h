// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices of operands, and joined operands, with the checks that every format needs.
//
// Operands are sliced, split, joined, stacked, gathered from and padded. Each function sets the node's results or
// reports an error. Formats differ in where they give the axis and the sizes.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_JOINSANDSLICES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_JOINSANDSLICES_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Splits `x` along an axis into parts of `sizes`, one for each of the node's results.
void splitInto(OperandBinder &node, mlir::Value x, int64_t axis, Ints sizes);

/// Splits `x` into equal parts, one for each of the node's results.
void splitEvenly(OperandBinder &node, mlir::Value x, int64_t axis);

/// Reads operand `index`, the sizes of the parts of an axis of `dim` elements. One of them may be unknown, because they
/// add up to `dim`.
mlir::FailureOr<llvm::SmallVector<int64_t>> readSizesOfParts(OperandBinder &node, size_t index, int64_t dim);

/// Splits `x` into parts of the sizes that operand `index` holds. One size may be -1 and is then the rest.
void splitBySizes(OperandBinder &node, mlir::Value x, int64_t axis, size_t index);

/// Splits operand 0 into slices of one index of an axis, without that axis.
void unstack(OperandBinder &node, int64_t axis);

/// Joins all operands, which must have one shape, along a new axis.
void stack(OperandBinder &node, int64_t axis);

/// Slices operand 0 from the position in operand 1 with the sizes in operand 2; -1 is the rest of an axis. The position
/// may be computed at run time.
void takePart(OperandBinder &node);

/// Slices operand 0 by the begins, ends and strides in operands 1 to 3 and the node's masks (StridedSlices.h).
void takeStrided(OperandBinder &node, bool endIsOffset = false);

/// Check and join the operands [begin, begin + count), at least one, along an axis. checkJoint reports an error if they
/// cannot be joined.
bool checkJoint(OperandBinder &node, size_t begin, size_t count, int64_t axis);
void concatenate(OperandBinder &node, size_t begin, size_t count, int64_t axis);

/// Gathers the elements of operand 0 that operand 1 names along an axis. Constant indices must be in range.
void gatherAlong(OperandBinder &node, int64_t axis);

/// Pads operand 0 by `low` and `high` elements at the ends of each axis.
void padOperand(OperandBinder &node, nn::PadMode mode, Ints low, Ints high, double value);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_JOINSANDSLICES_H
