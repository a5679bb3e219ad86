// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how sizes that data decide pass through operators.
// Why:   types are static: a tensor of which a run decides how many elements an axis has is as large as it can become, and
//        a count beside it says how many there are. Whoever reads the tensor must know the count, or not depend on it.
// How:   an axis with a count is *open*; what lies behind the count is unspecified. Given the counts of an operator's
//        operands, `transferCounts` gives those of its result, or nothing where elements that are not there would be in it.

#ifndef NACRE_DIALECTS_NN_COUNTS_H
#define NACRE_DIALECTS_NN_COUNTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::nn {

/// For each axis of a tensor the scalar of i64 that says how many elements it has; null where the type does. Empty: all
/// null.
using AxisCounts = llvm::SmallVector<mlir::Value, 4>;

/// The counts of the one result of `op`, whose operands have these; nothing where it does not only pass sizes on.
std::optional<AxisCounts> transferCounts(mlir::Operation *op, llvm::ArrayRef<AxisCounts> operands);

/// Of operators whose operands broadcast. What is not open along an open axis broadcasts to it, or is a constant.
std::optional<AxisCounts> transferBroadcastCounts(mlir::Operation *op, llvm::ArrayRef<AxisCounts> operands);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_COUNTS_H
