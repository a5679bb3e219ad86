// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  adds storages to a plan, and shows their places under other shapes.
// Why:   StoragePlan.cpp only decides where tensors lie.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_STORAGEBUILDER_H
#define NACRE_COMPILER_KERNELS_STORAGES_STORAGEBUILDER_H

#include "compiler/kernels/storages/StoragePlan.h"

namespace nacre::kernels {

inline llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
  return llvm::cast<mlir::ShapedType>(value.getType()).getShape();
}
inline mlir::Type getElementType(mlir::Value value) {
  return llvm::cast<mlir::ShapedType>(value.getType()).getElementType();
}

class StorageBuilder : protected StoragePlan {
protected:
  /// Adds a storage, and returns its index.
  int addStorage(llvm::ArrayRef<int64_t> shape, mlir::Type elementType, mlir::Location loc, bool isDense);

  /// Returns the place of existing memory with a fixed layout: a memref, an input or a weight.
  Place getGivenMemory(mlir::Value memory);

  Place addTemporary(mlir::Value value);
  /// Returns the place of `value`, or that of a new storage if it has none. Does not change the value's place.
  Place addTemporaryUnlessPlaced(mlir::Value value);

  /// True if `place` begins at an aligned position of the last axis.
  bool startsAligned(const Place &place) const;

  /// Returns `place` under another shape and makes its storage dense. Returns `nullopt` if that needs a copy.
  std::optional<Place> reshape(const Place &place, llvm::ArrayRef<int64_t> shape);

  /// Returns the place of `value` if it is contiguous. Otherwise, returns the place of a dense copy made before `op`.
  Place makeDense(mlir::Operation *op, mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, int> givenMemory;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_STORAGEBUILDER_H
