// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the element types of kernels, and scalars on their way between them.
// Why:   memory holds what ports and weights hold; arithmetic wants types that machines compute in.
// How:   a tensor of element type t is stored as `getStorageType(t)` and computed in `getComputeType(t)`:
//
//          nn type      stored   computed
//          f16, bf16    same     f32
//          i1           i8       i1
//          uiN          iN       iN, by unsigned operations
//          narrow       i8       i8, which a cast alone takes for a number

#ifndef NACRE_COMPILER_KERNELS_BODIES_ELEMENTTYPES_H
#define NACRE_COMPILER_KERNELS_BODIES_ELEMENTTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nacre::kernels {

mlir::Type getStorageType(mlir::Type elementType);
mlir::RankedTensorType getStorageTensorType(mlir::RankedTensorType type);
mlir::Type getComputeType(mlir::Type elementType);

/// A loaded scalar as it is computed with, and the other way.
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar, mlir::Type elementType);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar, mlir::Type elementType);

/// A constant element of an `nn` type as it is stored, and as it is computed with.
mlir::TypedAttr toStorage(mlir::TypedAttr element);
mlir::TypedAttr toCompute(mlir::TypedAttr element);

/// A constant of a compute type.
mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, double value);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_ELEMENTTYPES_H
