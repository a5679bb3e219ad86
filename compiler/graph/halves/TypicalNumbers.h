// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typical numbers of a network's values, and the results that operators compute from them. Whether f16 changes an
// answer depends on sizes. Those of constants are known; activations are around 1 in networks that suit f16. Interval
// bounds would grow from layer to layer, and a division by a norm has no bound.
//
// A value has 16 numbers, from which an operator's definition computes those of its result. Number 0 stands for zeros:
// a row of padding, or an inactive neuron, the cases that epsilons exist for. Inputs and results of contractions have
// numbers from 2^-8 to 8, of both signs. A reduction treats numbers 1 to 15 as one row, and number 0 as a row of zeros.

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

/// Limit below which numbers only mask the operand of a softmax.
constexpr double kMasked = -4096;

/// Returns the square root of the mean square of the finite numbers.
double computeRootMeanSquare(const Numbers &numbers);

/// Returns the numbers rounded to f16. A finite constant beyond f16 is clamped, as by `nacre-narrow-floats`.
Numbers roundToHalves(const Numbers &numbers, bool isConstant);

/// True if the operator moves numbers and computes nothing.
bool isMove(mlir::Operation &op);

/// Returns the number of products that a contraction adds up per element of its result; 0 for other operators.
int64_t countProducts(mlir::Operation &op);

/// Returns the numbers of the first result of `op`, given those of all its `operands`; `nullopt` if they don't follow
/// from these.
std::optional<Numbers> computeNumbers(mlir::Operation &op, llvm::ArrayRef<Numbers> operands);

class TypicalNumbers {
public:
  /// Computes the numbers of the results of `op`. Call it for the operators of its operands first.
  void add(mlir::Operation &op);

  /// Returns the numbers of `value`. If its operator has not been added, they are those of an input.
  Numbers get(mlir::Value value) const;
  llvm::SmallVector<Numbers> getOperands(mlir::Operation &op) const;

private:
  llvm::DenseMap<mlir::Value, Numbers> numbers;
};

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_TYPICALNUMBERS_H
