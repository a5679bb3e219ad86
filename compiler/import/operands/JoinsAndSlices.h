// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices and joins of operands, with the checks that every format needs.
//
// Operands are sliced, split, joined, stacked, gathered from and padded. Each function sets the node's results or
// reports an error. Formats differ in how they state the axis and the sizes.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_JOINSANDSLICES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_JOINSANDSLICES_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Splits `x` along `axis` into parts of `sizes`, one part for each result of the node.
void splitInto(OperandBinder &node, mlir::Value x, int64_t axis, Ints sizes);

/// Splits `x` into equal parts, one for each result of the node.
void splitEvenly(OperandBinder &node, mlir::Value x, int64_t axis);

/// Returns the sizes in operand `index` of the parts of an axis of `dim` elements. One size may be computed at run
/// time; it is the rest of `dim`.
mlir::FailureOr<llvm::SmallVector<int64_t>> readSizesOfParts(OperandBinder &node, size_t index, int64_t dim);

/// Splits `x` into parts of the sizes in operand `index`. One size may be -1, which means the rest.
void splitBySizes(OperandBinder &node, mlir::Value x, int64_t axis, size_t index);

/// Splits operand 0 into its slices at each index of `axis`. The slices do not have that axis.
void unstack(OperandBinder &node, int64_t axis);

/// Joins all operands, which must have the same shape, along a new axis.
void stack(OperandBinder &node, int64_t axis);

/// Slices operand 0 from the position in operand 1 on, with the sizes in operand 2. A size of -1 means the rest of the
/// axis. The position may be computed at run time.
void takePart(OperandBinder &node);

/// Slices operand 0 by the begins, ends and strides in operands 1 to 3 and the node's masks (StridedSlices.h).
void takeStrided(OperandBinder &node, bool endIsOffset = false);

/// Check and join the `count` operands from index `begin` on along an axis. `count` is at least 1. checkJoint reports
/// an error if the operands cannot be joined.
bool checkJoint(OperandBinder &node, size_t begin, size_t count, int64_t axis);
void concatenate(OperandBinder &node, size_t begin, size_t count, int64_t axis);

/// Gathers the elements of operand 0 along `axis` at the indices in operand 1. Constant indices must be in range.
void gatherAlong(OperandBinder &node, int64_t axis);

/// Pads operand 0 by `low` and `high` elements at the two ends of each axis.
void padOperand(OperandBinder &node, nn::PadMode mode, Ints low, Ints high, double value);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_JOINSANDSLICES_H
