// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshaped and reordered operands, with the checks that every format needs.
//
// The first operand is reshaped, gets or loses axes, or is reordered or repeated. Each function sets the node's result
// or reports an error. Formats differ in where they give the shape, and in the name of that operand.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H

#include "compiler/import/binding/OperandBinder.h"
#include "dialects/nn/shapes/ShapeRules.h"

namespace nacre::importer {

/// True if a result has a shape that fits into memory. Reports the rule's error if not.
bool checkRule(OperandBinder &node, llvm::Expected<nn::Shape> shape);

/// Reshapes operand 0 to `shape`, in which one size may be -1. Messages call the shape `name`. A size of 0 is 0 if
/// `zeroIsZero`, else the operand's.
void reshapeOperand(OperandBinder &node, const std::string &name, llvm::SmallVector<int64_t> shape, bool zeroIsZero);

/// Returns the shape that operand `index` holds, if a tensor can have it. Fails after an error.
mlir::FailureOr<llvm::SmallVector<int64_t>> readShape(OperandBinder &node, size_t index);

/// Adds an axis of size 1 at the position in operand 1.
void insertAxis(OperandBinder &node);

/// Removes `axes`, which must have size 1; without `axes`, all axes of size 1.
void removeAxes(OperandBinder &node, std::optional<Ints> axes);

/// Transposes operand 0 by the permutation in operand 1.
void transposeAxes(OperandBinder &node);

/// Reverses operand 0 along the axes in operand 1.
void reverseAxes(OperandBinder &node);

/// Reverses the first elements along `timeAxis` for each index of `batchAxis`; operand 1 holds their numbers.
void reverseSequences(OperandBinder &node, int64_t timeAxis, int64_t batchAxis);

/// Broadcasts operand 0 to the shape in operand 1.
void broadcastOperand(OperandBinder &node);

/// Repeats each axis by the number in `repeats`, which is operand 1. Each axis gets a new one before it, which is
/// broadcast and merged: [a] to [1, a], [r, a], [r * a].
void repeatAxes(OperandBinder &node, Ints repeats);
void repeatOperand(OperandBinder &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H
