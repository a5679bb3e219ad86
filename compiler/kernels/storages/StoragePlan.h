// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which storages an entry has, and where in them each of its tensors lies. Concatenations, slices, reshapes and
// pads then cost nothing: a producer writes where its consumers read. The IR is not changed meanwhile, so that each
// decision can be undone.
//
// 1. Backwards, results are placed where they are used: in outputs, and in the results of concatenations.
// 2. Forwards, the places of slices, reshapes and pads are derived from those of their operands. A pad enlarges the
//    halo of the storage. A copy is planned if no place can be derived.
//
// If a kernel may overwrite an operand with its result, the operand is placed where the result is used.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_STORAGEPLAN_H
#define NACRE_COMPILER_KERNELS_STORAGES_STORAGEPLAN_H

#include "compiler/kernels/storages/StorageLayout.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace nacre::kernels {

struct PlannedStorage {
  StorageShape layout;
  mlir::Type elementType;
  mlir::Value memory;    ///< Given memory: input, weight or memory of loops. Null for a new storage.
  mlir::TypedAttr fill;  ///< Value of the halo; null if no halo was requested.
  plan::OutputOp output; ///< Output that the storage, or given memory of loops, becomes; null for others.
  mlir::Location loc;
  bool isRow; ///< True for a row of another storage in each iteration of a loop. Its view is its memory.
};

/// Copy at the position of an operation: `source` to the box, and `fill` around it up to the region.
struct PlannedCopy {
  mlir::Value source;
  Place box, region;
  mlir::TypedAttr fill;
  std::optional<Place> part; ///< Source, if it is a part of a value.
};

/// View that is a row of a tensor in each iteration of a loop.
struct PlannedRow {
  int storage = -1;
  Place of; ///< The whole dense storage of the tensor.
};

struct StoragePlan {
  std::vector<PlannedStorage> storages;
  llvm::DenseMap<mlir::Value, Place> places;
  /// Regions that the writer of a value fills, if they are larger than its place.
  llvm::DenseMap<mlir::Value, Place> regions;
  llvm::DenseMap<mlir::Operation *, std::vector<PlannedCopy>> copies;
  llvm::DenseMap<mlir::Operation *, PlannedRow> rows;
  /// Places of the counts and conditions of loops and branches.
  llvm::DenseMap<mlir::Operation *, Place> controls;
};

/// Plans the storages of an entry, whose `operations` are in order. The module's `kernels` get a note if their result
/// takes the memory of an operand (Overwritten.h).
StoragePlan planStorages(llvm::ArrayRef<mlir::Operation *> operations, mlir::SymbolTable &kernels);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_STORAGEPLAN_H
