// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds memory for values that enter or leave regions. Two iterations, or two branches, cannot write the same tensor, so
// they share memory instead.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_REGIONMEMORY_H
#define NACRE_COMPILER_KERNELS_ENTRIES_REGIONMEMORY_H

#include "compiler/kernels/entries/EntryBuilder.h"

namespace nacre::kernels {

/// Position of a part of memory, in elements: `offset` in the first iteration, plus `step` for each further iteration.
struct Steps {
  int64_t offset = 0, step = 0;
};

class RegionMemory {
public:
  RegionMemory(EntryBuilder &entry, mlir::Location loc) : entry(entry), loc(loc) {}

  /// Adds a temporary for one value of `type`, or for `rows` such values.
  mlir::Value allocate(mlir::Type type, std::optional<int64_t> rows = std::nullopt);
  /// Returns a part of `memory` as a value of `type`. Its position depends on `counter` as `steps` says. `memory` may
  /// be a tensor, which becomes dense later.
  mlir::Value view(mlir::Value memory, mlir::Type type, Steps steps, mlir::Value counter);
  /// Returns the contents of `memory` as a tensor.
  mlir::Value load(mlir::Value memory);
  /// Makes `memory` hold the entry's tensor for `host`. If `isLate`, the tensor is always copied at this point
  /// (PlanOps.td).
  mlir::LogicalResult store(mlir::Value host, mlir::Value memory, bool isLate = false);
  void storeTensor(mlir::Value tensor, mlir::Value memory, bool isLate);

private:
  EntryBuilder &entry;
  mlir::Location loc;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_REGIONMEMORY_H
