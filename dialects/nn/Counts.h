// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the rules by which data-dependent sizes pass through operators.
// Why:   types are static. If the size of an axis is known only at run time, the tensor has the largest possible size,
//        and a separate count is the actual size. Readers of the tensor must use the count, or must not depend on it.
// How:   an axis with a count is *open*. Elements after the count are undefined. `transferCounts` computes the counts
//        of an operator's result from those of its operands. It fails if undefined elements would affect the result.

#ifndef NACRE_DIALECTS_NN_COUNTS_H
#define NACRE_DIALECTS_NN_COUNTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::nn {

/// Counts of the axes of a tensor, each an i64 scalar with the actual size of the axis. Null for an axis of static
/// size. Empty if all axes have their static size.
using AxisCounts = llvm::SmallVector<mlir::Value, 4>;

/// Returns the counts of the single result of `op`. `operands` has the counts of each operand. Returns `nullopt` if
/// `op` does more than pass sizes on.
std::optional<AxisCounts> transferCounts(mlir::Operation *op, llvm::ArrayRef<AxisCounts> operands);

/// Like transferCounts(), by the iteration axes of `op` (Axes.h). An open axis must be parallel. All operands along
/// it must have the same count, broadcast, or be constants.
std::optional<AxisCounts> transferCountsByAxes(mlir::Operation *op, llvm::ArrayRef<AxisCounts> operands);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_COUNTS_H
