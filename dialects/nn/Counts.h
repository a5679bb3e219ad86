// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how data-dependent sizes pass through operators.
// Why:   types are static. If the size of an axis is known only at run time, the tensor has the largest possible size.
//        A separate count has the actual one. Readers of the tensor must know the count, or not depend on it.
// How:   an axis with a count is *open*; elements after the count are undefined. `transferCounts` computes the counts
//        of an operator's result from those of its operands. It fails if undefined elements would affect the result.

#ifndef NACRE_DIALECTS_NN_COUNTS_H
#define NACRE_DIALECTS_NN_COUNTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::nn {

/// A scalar of i64 for each axis of a tensor, the number of its elements; null if the axis has its static size. Empty
/// if all are null.
using AxisCounts = llvm::SmallVector<mlir::Value, 4>;

/// Returns the counts of the one result of `op` for these counts of its operands. Returns `nullopt` if `op` does more
/// than pass sizes on.
std::optional<AxisCounts> transferCounts(mlir::Operation *op, llvm::ArrayRef<AxisCounts> operands);

/// The same for operators whose operands broadcast. An operand that is not open along an open axis must broadcast to
/// it, or be a constant.
std::optional<AxisCounts> transferBroadcastCounts(mlir::Operation *op, llvm::ArrayRef<AxisCounts> operands);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_COUNTS_H
