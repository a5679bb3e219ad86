// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits elementwise `nn` operators as scalar `arith` and `math` operations. All kinds of kernels use the same
// definition of an operator for each element type. Scalars have the compute types of ElementTypes.h.

#ifndef NACRE_COMPILER_KERNELS_BODIES_SCALARBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_SCALARBODIES_H

#include "compiler/kernels/bodies/ElementTypes.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Emits one element of the result of `op`. Returns null if the operator is not defined for its element type.
mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// Emits x to the power of y. Uses multiplications and roots if y is a suitable constant.
mlir::Value emitPower(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y);

/// Emits one step of a reduction, which combines `a` and `b` of a compute type. `isUnsigned` is also true for booleans.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, nn::ReduceKind kind, mlir::Value a, mlir::Value b,
                    bool isUnsigned);
/// Returns the initial value of a reduction, as a constant of the accumulator's type.
mlir::TypedAttr getIdentity(nn::ReduceKind kind, mlir::Type type, bool isUnsigned);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_SCALARBODIES_H
