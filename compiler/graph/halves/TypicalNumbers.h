// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes samples of a network's values, to find results that f16 would change. This depends on the sizes of values.
// The sizes of constants are known. Activations are around 1 in networks that suit f16. Bounds by interval arithmetic
// would grow from layer to layer, and a division by a norm would have no bound.
//
// A value has 16 samples. The definition of an operator computes the samples of its result from the samples of its
// operands. Sample 0 stands for zeros: a row of padding, or an inactive neuron. Epsilons exist for these cases. Inputs
// and results of contractions have samples from 2^-8 to 8, with both signs. A reduction treats samples 1 to 15 as one
// row, and sample 0 as a row of zeros.

#ifndef NACRE_COMPILER_GRAPH_HALVES_TYPICALNUMBERS_H
#define NACRE_COMPILER_GRAPH_HALVES_TYPICALNUMBERS_H

#include "compiler/graph/halves/HalfFormat.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <optional>

namespace nacre::graph {

using Numbers = std::array<double, 16>;

/// Limit below which values only mask the operand of a softmax.
constexpr double kMasked = -4096;

/// Returns the root mean square of the finite samples.
double computeRootMeanSquare(const Numbers &numbers);

/// Returns the samples rounded to `half`. A finite constant beyond its range is clamped, as by `nacre-narrow-floats`.
Numbers roundToHalves(const Numbers &numbers, bool isConstant, const HalfFormat &half);

/// True if the operator only moves elements.
bool isMove(mlir::Operation &op);

/// Returns how many products a contraction adds up for one element of its result, or 0 for other operators.
int64_t countProducts(mlir::Operation &op);

/// Returns the samples of the first result of `op`, given the samples of all its `operands`. Returns `nullopt` if these
/// do not determine the result.
std::optional<Numbers> computeNumbers(mlir::Operation &op, llvm::ArrayRef<Numbers> operands);

class TypicalNumbers {
public:
  /// Computes the samples of the results of `op`. Call it for the operators that compute the operands first.
  void add(mlir::Operation &op);

  /// Returns the samples of `value`. If its operator has not been added, `value` gets the samples of an input.
  Numbers get(mlir::Value value) const;
  llvm::SmallVector<Numbers> getOperands(mlir::Operation &op) const;

private:
  llvm::DenseMap<mlir::Value, Numbers> numbers;
};

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_TYPICALNUMBERS_H
