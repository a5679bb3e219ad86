// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  reals that are integers times a scale, and what is linear in such reals.
// Why:   a quantization divides by a constant, which would be a division of each element; a scale takes it in for nothing.
// How:   the divisor moves up through sums, bounds, averages and movement, to the scales of all that is added up.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_SCALEDREALS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_SCALEDREALS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace nacre::graph {

/// Integers of 32 bits as reals, times a constant scale: one number, or one for each index of the last axis.
struct ScaledSums {
  mlir::Value integers, reals, scale;
};

/// Returns what `value` is if it is scaled sums; nothing else reads them before.
std::optional<ScaledSums> matchScaledSums(mlir::Value value);

/// Returns whether `value` has one element, or one for each index of the last axis of `type`.
bool spansLastAxis(mlir::Value value, mlir::RankedTensorType type);

/// Returns a constant: two scales multiplied, or divided, in f32.
mlir::Value combineScales(mlir::OpBuilder &builder, mlir::Location loc, nn::BinaryKind kind, mlir::Value a,
                          mlir::Value b);

/// Returns the operands of `op` that are divided if its result is; empty if that is another function.
llvm::SmallVector<unsigned, 4> getDividedOperands(mlir::Operation *op);

/// Returns whether `value` divided by a constant is the same operators with other scales.
bool canDivide(mlir::Value value);

/// Returns `value` / `divisor`, a scalar constant, for which canDivide is true.
mlir::Value divide(mlir::OpBuilder &builder, mlir::Value value, mlir::Value divisor);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_SCALEDREALS_H
