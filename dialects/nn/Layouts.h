// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  transfers layouts through operators that do not depend on the order of axes.
// Why:   layout propagation needs to know nothing else about operators.
// How:   the iteration axes of an operator say which axes of its values belong together (Axes.h).
//        A value with layout p is stored as its transpose by p. `transferLayout` computes the layouts of all values
//        of an operator from the layout of one. `rebuildInLayout` creates the operator on the stored values.

#ifndef NACRE_DIALECTS_NN_LAYOUTS_H
#define NACRE_DIALECTS_NN_LAYOUTS_H

#include "dialects/nn/Permutation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace nacre::nn {

/// The layouts of an operator's values. An operand has no layout if it broadcasts from a lower rank, or if its axes are
/// not those of the result (the indices of a gather).
struct OpLayouts {
  llvm::SmallVector<std::optional<Permutation>> operands;
  Permutation result;
};

/// Returns the layouts of the values of `op` if `value`, its result or an operand, has `layout`. Returns `nullopt` if
/// `op` cannot have this layout.
std::optional<OpLayouts> transferLayout(mlir::Operation *op, mlir::Value value, Dims layout);

/// True if the operand with index `index` broadcasts from a lower rank, and so must follow the result's layout.
bool isAlignedOperand(mlir::Operation *op, unsigned index, const OpLayouts &layouts);

/// Creates `op` on the transposed operands `stored`. Its result is stored transposed, too.
mlir::Operation *rebuildInLayout(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange stored,
                                 const OpLayouts &layouts);

/// Returns the layouts by the iteration axes of `op` (Axes.h), for an operator that works in any order of axes. All
/// values get the order that `layout` gives to the axes of `value`. Returns `nullopt` if `value` lacks one of the axes.
std::optional<OpLayouts> transferByAxes(mlir::Operation *op, mlir::Value value, Dims layout);

/// Returns the index that `axis` has after transposing.
inline int64_t moveAxis(int64_t axis, Dims layout) { return moveAxes(axis, layout).front(); }

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_LAYOUTS_H
