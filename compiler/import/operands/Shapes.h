// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes and reorders operands, with the checks that every format needs.
//
// The first operand is reshaped, reordered or repeated, or axes are added or removed. Each function sets the node's
// result or reports an error. Formats differ in where they state the shape, and in the name of that operand.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H

#include "compiler/import/binding/OperandBinder.h"
#include "dialects/nn/shapes/ShapeRules.h"

namespace nacre::importer {

/// True if `shape` is a valid shape that fits into memory. Otherwise, reports the error in `shape`, or that it is too
/// large.
bool checkRule(OperandBinder &node, llvm::Expected<nn::Shape> shape);

/// Reshapes operand 0 to `shape`, in which one size may be -1. A size of 0 is 0 if `zeroIsZero`; otherwise, it is the
/// operand's size. Messages call the shape `name`.
void reshapeOperand(OperandBinder &node, const std::string &name, llvm::SmallVector<int64_t> shape, bool zeroIsZero);
/// Reshapes operand 0 in the same way to sizes of which some are known only at run time.
void reshapeToSizes(OperandBinder &node, const std::string &name, llvm::SmallVector<Size> sizes, bool zeroIsZero);

/// Sets the result to `x`, broadcast together with `sizes`. Those of 1 and -1 leave the size of `x` as it is. Returns
/// false, without an error, if the sizes do not broadcast together in each run.
bool broadcastToSizes(OperandBinder &node, mlir::Value x, llvm::ArrayRef<Size> sizes);

/// Returns the shape in operand `index`. Fails after an error if no tensor can have this shape.
mlir::FailureOr<llvm::SmallVector<int64_t>> readShape(OperandBinder &node, size_t index);

/// Adds an axis of size 1 at the position in operand 1.
void insertAxis(OperandBinder &node);

/// Removes `axes`, whose sizes must be 1. Without `axes`, removes all axes of size 1.
void removeAxes(OperandBinder &node, std::optional<Ints> axes);

/// Transposes operand 0 by the permutation in operand 1.
void transposeAxes(OperandBinder &node);

/// Reverses operand 0 along the axes in operand 1.
void reverseAxes(OperandBinder &node);

/// Reverses the first elements along `timeAxis` for each index of `batchAxis`. Operand 1 holds the numbers of elements.
void reverseSequences(OperandBinder &node, int64_t timeAxis, int64_t batchAxis);

/// Broadcasts operand 0 to the shape in operand 1, of which a run may decide sizes.
void broadcastOperand(OperandBinder &node);

/// Repeats the elements of each axis `repeats` times; `repeats` comes from operand 1. A new axis before each axis is
/// broadcast and merged with it: [a] becomes [1, a], [r, a], [r * a].
void repeatAxes(OperandBinder &node, Ints repeats);
void repeatOperand(OperandBinder &node);
/// Repeats the axes as often as operand 1 says, which a run decides. Returns false, without an error, if it is known at
/// compile time or has no largest value.
bool repeatBySizes(OperandBinder &node);

/// Counts from operand 0 to before operand 1 in steps of operand 2, and sets the result. Operand 1 is a size that only
/// a run decides. Returns false, without an error, if it is not, or if another operand is not a constant.
bool countToSize(OperandBinder &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H
