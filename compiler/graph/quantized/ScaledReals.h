// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reals that are integers times a scale, and operators that are linear in such reals. A quantization divides by a
// constant, which would be a division per element; a scale absorbs it at no cost. The divisor moves up through sums,
// bounds, averages and movement to the scales of all addends.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_SCALEDREALS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_SCALEDREALS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace nacre::graph {

/// 32-bit integers as reals, times a constant scale: one number, or one per index of the last axis.
struct ScaledSums {
  mlir::Value integers, reals, scale;
};

/// Returns the parts of `value` if it is scaled sums whose intermediate values have no other readers.
std::optional<ScaledSums> matchScaledSums(mlir::Value value);

/// True if `value` has one element, or one per index of the last axis of `type`.
bool spansLastAxis(mlir::Value value, mlir::RankedTensorType type);

/// Returns a constant: the product or quotient of two scales in f32.
mlir::Value combineScales(mlir::OpBuilder &builder, mlir::Location loc, nn::BinaryKind kind, mlir::Value a,
                          mlir::Value b);

/// Returns the operands of `op` that must be divided to divide its result; empty for other functions.
llvm::SmallVector<unsigned, 4> getDividedOperands(mlir::Operation *op);

/// True if `value` can be divided by a constant by changing only scales.
bool canDivide(mlir::Value value);

/// Returns `value` divided by `divisor`, a scalar constant. canDivide must be true for `value`.
mlir::Value divide(mlir::OpBuilder &builder, mlir::Value value, mlir::Value divisor);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_SCALEDREALS_H
