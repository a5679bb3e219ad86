// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how operators that do not care about the order of axes behave when their values are stored transposed.
// Why:   it is all that layout propagation needs to know about operators.
// How:   a value with layout p is stored as its transpose by p. Given the layout of one of an operator's values,
//        `transferLayout` gives those of the others; `rebuildInLayout` makes the operator on the stored values.

#ifndef NACRE_DIALECTS_NN_LAYOUTS_H
#define NACRE_DIALECTS_NN_LAYOUTS_H

#include "dialects/nn/Permutation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace nacre::nn {

/// The layouts of an operator's values. An operand without one is not stored in a layout of its own: it broadcasts from
/// a lower rank, or is not laid out at all (the indices of a gather).
struct OpLayouts {
  llvm::SmallVector<std::optional<Permutation>> operands;
  Permutation result;
  bool broadcasts = false; ///< The operands, to the result.
};

/// The layouts that `op` has if `value`, its result or an operand, has `layout`; nothing if `op` has none then.
std::optional<OpLayouts> transferLayout(mlir::Operation *op, mlir::Value value, Dims layout);

/// Whether operand `index` broadcasts from a lower rank, so that it must follow the result's layout.
bool isAlignedOperand(mlir::Operation *op, unsigned index, const OpLayouts &layouts);

/// `op` on stored operands, giving the stored result.
mlir::Operation *rebuildInLayout(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange stored,
                                 const OpLayouts &layouts);

// What the facts in OperatorFacts.h mean: operators whose operands broadcast, and whose operands have the result's axes.
std::optional<OpLayouts> transferBroadcast(mlir::Operation *op, mlir::Value value, Dims layout);
OpLayouts sameForAll(mlir::Operation *op, Dims layout);

/// Where one axis is after transposing.
inline int64_t moveAxis(int64_t axis, Dims layout) { return moveAxes(axis, layout).front(); }

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_LAYOUTS_H
