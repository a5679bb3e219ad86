// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which storages an entry has, and where in them each of its tensors lies. Concatenations, slices, reshapes and
// pads then cost nothing, because a producer writes to the location that its consumers read. Planning does not change
// the IR, so each decision can be undone.
//
// 1. Backwards, results are placed where they are used: in outputs, and in the results of concatenations.
// 2. Forwards, the places of slices, reshapes and pads are derived from the places of their operands. A pad enlarges
// the
//    halo of the storage. A copy is planned if no place can be derived.
//
// If a kernel may overwrite an operand with its result, the operand gets the place of the result.

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
  mlir::Value memory;    ///< Existing memory: input, weight or memory of loops. Null for a new storage.
  mlir::TypedAttr fill;  ///< Value of the halo; null if no halo was requested.
  plan::OutputOp output; ///< Output that the storage (or the memory of a loop) becomes, or null.
  mlir::Location loc;
  bool isRow; ///< True for a row of another storage in each iteration of a loop. The view of this row is its `memory`.
};

/// Copy at the position of an operation. It copies `source` to the box and writes `fill` around it, up to the region.
struct PlannedCopy {
  mlir::Value source;
  Place box, region;
  mlir::TypedAttr fill;
  std::optional<Place> part; ///< Place to copy from, if the source is only a part of a value.
};

/// View of one row of a tensor in each iteration of a loop.
struct PlannedRow {
  int storage = -1;
  Place of; ///< The whole dense storage of the tensor that has the rows.
};

struct StoragePlan {
  std::vector<PlannedStorage> storages;
  llvm::DenseMap<mlir::Value, Place> places;
  /// Region that the writer of a value fills, if it is larger than the place of the value.
  llvm::DenseMap<mlir::Value, Place> regions;
  llvm::DenseMap<mlir::Operation *, std::vector<PlannedCopy>> copies;
  llvm::DenseMap<mlir::Operation *, PlannedRow> rows;
  /// Places of the iteration counts and conditions of loops and branches.
  llvm::DenseMap<mlir::Operation *, Place> controls;
};

/// Plans the storages of an entry, whose `operations` are in order. Leaves a note on each of the module's `kernels`
/// whose result takes the memory of an operand (Overwritten.h).
StoragePlan planStorages(llvm::ArrayRef<mlir::Operation *> operations, mlir::SymbolTable &kernels);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_STORAGEPLAN_H
