// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the element types of kernels, and conversions of scalars between them. Memory has the types of ports and
// weights, but arithmetic needs types that machines compute with. A tensor of element type t is stored as
// `getStorageType(t)` and computed in `getComputeType(t)`:
//
//          nn type      stored   computed
//          f16, bf16    same     f32
//          i1           i8       i1
//          uiN          iN       iN, by unsigned operations
//          narrow       i8       i8, which only a cast interprets as a number

#ifndef NACRE_COMPILER_KERNELS_BODIES_ELEMENTTYPES_H
#define NACRE_COMPILER_KERNELS_BODIES_ELEMENTTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nacre::kernels {

mlir::Type getStorageType(mlir::Type elementType);
mlir::RankedTensorType getStorageTensorType(mlir::RankedTensorType type);
mlir::Type getComputeType(mlir::Type elementType);

/// Converts a loaded scalar to its compute type (fromStorage) or a computed scalar to its storage type (toStorage).
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar, mlir::Type elementType);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar, mlir::Type elementType);

/// Converts a constant element of an `nn` type to its storage type (toStorage) or to its compute type (toCompute).
mlir::TypedAttr toStorage(mlir::TypedAttr element);
mlir::TypedAttr toCompute(mlir::TypedAttr element);

/// Emits a constant of a compute type.
mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, double value);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_ELEMENTTYPES_H
