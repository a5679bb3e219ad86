// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands in other shapes, checked as every format asks.
//
// What: the first operand reshaped, without some axes, repeated: the node's result is set, or an error reported.
// Why:  formats differ in where they say the shape, and in the name of what says it.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H

#include "compiler/import/OperandBinder.h"
#include "dialects/nn/ShapeRules.h"

namespace nacre::importer {

/// Whether a result has a shape that memory can hold; reports an error, in the rule's words, where it does not.
bool checkRule(OperandBinder &node, llvm::Expected<nn::Shape> shape);

/// To `shape`, which messages call `name` and in which one size may be -1. A 0 is a size, or that of the operand.
void reshapeOperand(OperandBinder &node, const std::string &name, llvm::SmallVector<int64_t> shape, bool zeroIsZero);

/// Without `axes`, which have size 1; without one all that have.
void removeAxes(OperandBinder &node, std::optional<Ints> axes);

/// Each axis as often as `repeats`, which is operand 1, says. It gets a new one before it, which is broadcast and merged:
/// [a] to [1, a], [r, a], [r * a].
void repeatAxes(OperandBinder &node, Ints repeats);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_SHAPES_H
