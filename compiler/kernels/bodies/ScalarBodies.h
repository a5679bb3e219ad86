// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  elementwise `nn` operators as scalar `arith` and `math` operations.
// Why:   one table says what an operator means for each element type, whatever kernel it ends up in.
// How:   in the compute types of ElementTypes.h.

#ifndef NACRE_COMPILER_KERNELS_BODIES_SCALARBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_SCALARBODIES_H

#include "compiler/kernels/bodies/ElementTypes.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// One element of `op`'s result. Null where the operator is not defined for its element type.
mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// x to the power of y, by multiplications and roots where y is a suitable constant.
mlir::Value emitPower(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y);

/// The nearest integer towards zero that the integer `elementType` has, in its compute type; of what is not a number 0.
mlir::Value emitIntegerOfFloat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Type elementType);

/// How two values of a compute type combine in a reduction. `isUnsigned` holds for booleans too.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, nn::ReduceKind kind, mlir::Value a, mlir::Value b,
                    bool isUnsigned);
/// What a reduction starts from, as a constant of the accumulator's type.
mlir::TypedAttr getIdentity(nn::ReduceKind kind, mlir::Type type, bool isUnsigned);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_SCALARBODIES_H
