// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: decides which storages an entry has, and where in them each of its tensors lies.
// Why:  concatenations, slices, reshapes and pads then cost nothing: a producer writes where its consumers read.
//       Nothing is changed meanwhile, so that any decision can still be taken back.
// How:  1. backwards, results are placed where they are wanted: in outputs, and in the results of concatenations;
//       2. forwards, slices, reshapes and pads are derived from their operands' places where that is possible (a pad
//          raises the halo of the storage); where not, a copy is planned.
//       A result that its kernel writes over what it has read lies where that does, which is so placed where it is wanted, too.

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
  mlir::Value memory;    ///< Given: an input, a weight, memory of loops. Null for what is to be created.
  mlir::TypedAttr fill;  ///< What the halo holds; null while there is none.
  plan::OutputOp output; ///< Which output it is, or that memory of loops becomes, if any.
  mlir::Location loc;
  bool isRow; ///< Of another one, for each iteration of a loop. Its memory is where the view of it is.
};

/// A copy that is made where an operation was: `source` to the box, with `fill` around it up to the region.
struct PlannedCopy {
  mlir::Value source;
  Place box, region;
  mlir::TypedAttr fill;
  std::optional<Place> part; ///< What is copied, where it is not all of a value.
};

/// A view that is a row of a tensor for each iteration of a loop.
struct PlannedRow {
  int storage = -1;
  Place of; ///< All of a dense storage that is seen.
};

struct StoragePlan {
  std::vector<PlannedStorage> storages;
  llvm::DenseMap<mlir::Value, Place> places;
  /// What a value's writer fills around it, where that is more than its place.
  llvm::DenseMap<mlir::Value, Place> regions;
  llvm::DenseMap<mlir::Operation *, std::vector<PlannedCopy>> copies;
  llvm::DenseMap<mlir::Operation *, PlannedRow> rows;
  /// What decides about a loop or a branch.
  llvm::DenseMap<mlir::Operation *, Place> controls;
};

/// `operations` are all of an entry's, in order; `kernels` are the module's, which note if their result lies where an operand did
/// (Overwritten.h).
StoragePlan planStorages(llvm::ArrayRef<mlir::Operation *> operations, mlir::SymbolTable &kernels);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_STORAGEPLAN_H
