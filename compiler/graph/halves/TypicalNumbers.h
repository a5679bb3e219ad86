// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  some numbers that a value of a network may have, and what operators make of such numbers.
// Why:   whether f16 changes an answer depends on sizes: of constants, which are known, and of activations, which are around 1 in networks that
//        f16 suits. Bounds of intervals would grow from layer to layer, and a division by a norm has none.
// How:   a value has sixteen numbers, which an operator's definition turns into those of its result. Number 0 stands for zeros: a row of
//        padding, or a neuron that is off, which epsilons are for. Inputs and the results of contractions have numbers from
//        2^-8 to 8, of both signs. A reduction sees numbers 1 to 15 as one row, and number 0 as a row of zeros.

#ifndef NACRE_COMPILER_GRAPH_HALVES_TYPICALNUMBERS_H
#define NACRE_COMPILER_GRAPH_HALVES_TYPICALNUMBERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <optional>

namespace nacre::graph {

using Numbers = std::array<double, 16>;

/// Numbers below this one only mask the operand of a softmax.
constexpr double kMasked = -4096;

/// Returns the square root of the mean square of the finite ones.
double computeRootMeanSquare(const Numbers &numbers);

/// Returns what each becomes in f16. A finite constant beyond f16 is clamped, as `nacre-narrow-floats` does.
Numbers roundToHalves(const Numbers &numbers, bool isConstant);

/// Returns whether the operator moves numbers, and computes nothing.
bool isMove(mlir::Operation &op);

/// Returns how many products a contraction adds up for an element of its result; 0 for other operators.
int64_t countProducts(mlir::Operation &op);

/// Returns what `op` makes of `operands`, one for each of its operands: the numbers of its first result. Nothing if these do not follow.
std::optional<Numbers> computeNumbers(mlir::Operation &op, llvm::ArrayRef<Numbers> operands);

class TypicalNumbers {
public:
  /// Finds the numbers of the results of `op`. What defines its operands comes first.
  void add(mlir::Operation &op);

  /// Returns the numbers of `value`; those of an input, if its operator has not been added.
  Numbers get(mlir::Value value) const;
  llvm::SmallVector<Numbers> getOperands(mlir::Operation &op) const;

private:
  llvm::DenseMap<mlir::Value, Numbers> numbers;
};

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_TYPICALNUMBERS_H
