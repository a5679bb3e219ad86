// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  elementwise `nn` operators as scalar `arith` and `math` operations, and the element types of kernels.
// Why:   one table says what an operator means for each element type, whatever kernel it ends up in.
// How:   a tensor of element type t is stored as `getStorageType(t)` and computed in `getComputeType(t)`:
//
//          nn type      stored   computed
//          f16, bf16    same     f32
//          i1           i8       i1
//          uiN          iN       iN, by unsigned operations

#ifndef NACRE_COMPILER_KERNELS_SCALARBODIES_H
#define NACRE_COMPILER_KERNELS_SCALARBODIES_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"

namespace nacre::kernels {

mlir::Type getStorageType(mlir::Type elementType);
mlir::RankedTensorType getStorageTensorType(mlir::RankedTensorType type);
mlir::Type getComputeType(mlir::Type elementType);

/// A loaded scalar as it is computed with, and the other way.
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar, mlir::Type elementType);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar, mlir::Type elementType);

/// Whether `op` is computed element by element, each from one element of every operand.
bool isElementwise(mlir::Operation *op);

/// One element of `op`'s result. Null where the operator is not defined for its element type.
mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// The function of one unary kind on floats, for cells whose activations are named by kind.
mlir::Value emitFloatFunction(mlir::OpBuilder &builder, mlir::Location loc, nn::UnaryKind kind, mlir::Value x,
                              double alpha);

/// x to the power of y, by multiplications and roots where y is a suitable constant.
mlir::Value emitPower(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y);

mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, double value);

/// How two values of a compute type combine in a reduction. `isUnsigned` holds for booleans too.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, nn::ReduceKind kind, mlir::Value a, mlir::Value b,
                    bool isUnsigned);
/// What a reduction starts from, as a constant of the accumulator's type.
mlir::TypedAttr getIdentity(nn::ReduceKind kind, mlir::Type type, bool isUnsigned);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_SCALARBODIES_H
