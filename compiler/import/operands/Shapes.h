// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands in other shapes, checked as every format asks.
//
// What: the first operand reshaped, with an axis more or less, in another order, repeated: the node's result is set, or an error
//       reported.
// Why:  formats differ in where they say the shape, and in the name of what says it.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H

#include "compiler/import/binding/OperandBinder.h"
#include "dialects/nn/shapes/ShapeRules.h"

namespace nacre::importer {

/// Whether a result has a shape that memory can hold; reports an error, in the rule's words, where it does not.
bool checkRule(OperandBinder &node, llvm::Expected<nn::Shape> shape);

/// To `shape`, which messages call `name` and in which one size may be -1. A 0 is a size, or that of the operand.
void reshapeOperand(OperandBinder &node, const std::string &name, llvm::SmallVector<int64_t> shape, bool zeroIsZero);

/// The shape that operand `index` holds, if a tensor can have it; fails after an error.
mlir::FailureOr<llvm::SmallVector<int64_t>> readShape(OperandBinder &node, size_t index);

/// With an axis of one element more, where operand 1 says.
void insertAxis(OperandBinder &node);

/// Without `axes`, which have size 1; without one all that have.
void removeAxes(OperandBinder &node, std::optional<Ints> axes);

/// The axes in the order that operand 1 says.
void transposeAxes(OperandBinder &node);

/// The elements along the axes that operand 1 names from their ends.
void reverseAxes(OperandBinder &node);

/// The first elements along `timeAxis` in reverse order, of each along `batchAxis` as many as operand 1 says.
void reverseSequences(OperandBinder &node, int64_t timeAxis, int64_t batchAxis);

/// To the shape that operand 1 holds.
void broadcastOperand(OperandBinder &node);

/// Each axis as often as `repeats`, which is operand 1, says. It gets a new one before it, which is broadcast and merged:
/// [a] to [1, a], [r, a], [r * a].
void repeatAxes(OperandBinder &node, Ints repeats);
void repeatOperand(OperandBinder &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H
