// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the position in a storage of each element of a tensor that a kernel's body uses.
// Why:   every emitter addresses flat storages by loop counters times strides. Slices and maps are resolved once, here.
// How:   1. a strided slice: slices and paddings between tensor and argument become strides and an offset;
//        2. an access: an indexing map's sums of `dim * constant` become a stride per loop.

#ifndef NACRE_CODEGEN_FORM_ACCESS_H
#define NACRE_CODEGEN_FORM_ACCESS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::codegen {

/// A tensor of a kernel's body as a part of a storage. Element (i, j, ...) has the offset offset + i * strides[0] + j *
/// strides[1] + ... in the storage.
struct StridedSlice {
  unsigned argument = 0; ///< Index of the kernel's argument that holds the storage.
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides; ///< One per axis of the tensor.
  llvm::SmallVector<int64_t> shape;   ///< Sizes of the tensor.

  // Members for a padded tensor. Indices below low[i], and from low[i] + kept[i] on, are not in memory.
  llvm::SmallVector<int64_t> low, kept;
  mlir::TypedAttr padding; ///< Null if the tensor is not padded.
};

/// Returns the slice that holds `tensor`. Follows slices, paddings, fills and the destinations of linalg operations to
/// an argument of the kernel. Fails for tensors that are in no storage (tensor.empty).
llvm::FailureOr<StridedSlice> findSlice(mlir::Value tensor);

/// One axis of an operand as a function of loop counters: index = constant + sum of coefficients[loop] * counter.
struct WalkedAxis {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> coefficients;
};

/// An axis of a padded operand. Only elements with 0 <= index < size are in memory.
struct PaddedAxis : WalkedAxis {
  int64_t size = 0;
};

/// An operand of a loop nest. Each iteration uses the element at offset + sum of strides[loop] * counter.
struct Access {
  unsigned argument = 0;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides; ///< One per loop; 0 if the operand is broadcast along it.
  mlir::Type elementType;
  llvm::SmallVector<PaddedAxis, 0> padded; ///< Axes on which the loops reach beyond memory.
};

/// Returns the axes of an operand that is read through `map`. Fails if a result of the map is not a sum of
/// `dim * constant`.
llvm::FailureOr<llvm::SmallVector<WalkedAxis>> walkAxes(mlir::AffineMap map);

/// Returns the access of an operand that is stored at `slice` and read through `map`. Fails if a result of the map is
/// not a sum of `dim * constant`.
llvm::FailureOr<Access> composeAccess(const StridedSlice &slice, mlir::AffineMap map, mlir::Type elementType);

/// Finds the slice of `tensor` and composes its access through `map`. Fails if either step fails.
llvm::FailureOr<Access> findAccess(mlir::Value tensor, mlir::AffineMap map);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_ACCESS_H
