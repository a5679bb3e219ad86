// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes reals that are integers times a scale, and operators that are linear in such reals. A quantization divides
// by a constant, which would be a division per element. A scale can include the divisor at no cost. The divisor moves
// up through sums, bounds, averages and movement to the scales of all addends.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_SCALEDREALS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_SCALEDREALS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace nacre::graph {

/// 32-bit integers, the same values as reals, and a constant scale. The scale has one element, or one per index of the
/// last axis.
struct ScaledSums {
  mlir::Value integers, reals, scale;
};

/// Returns the integers and the scale of `value`, a product with a scale. Returns `nullopt` for other values, or if
/// intermediate values have other readers.
std::optional<ScaledSums> matchScaledSums(mlir::Value value);

/// True if `value` has one element, or one per index of the last axis of `type`.
bool spansLastAxis(mlir::Value value, mlir::RankedTensorType type);

/// Returns the product or quotient of two scales, computed in f32, as a constant.
mlir::Value combineScales(mlir::OpBuilder &builder, mlir::Location loc, nn::BinaryKind kind, mlir::Value a,
                          mlir::Value b);

/// Returns the operands that must be divided to divide the result of `op`. Returns no operands for unsuitable
/// operators.
llvm::SmallVector<unsigned, 4> getDividedOperands(mlir::Operation *op);

/// True if only scales must change to divide `value` by a constant.
bool canDivide(mlir::Value value);

/// Returns `value` divided by `divisor`, a scalar constant. canDivide() must be true for `value`.
mlir::Value divide(mlir::OpBuilder &builder, mlir::Value value, mlir::Value divisor);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_SCALEDREALS_H
