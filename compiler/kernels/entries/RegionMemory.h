// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  memory in which values pass the borders of regions.
// Why:   a value of one iteration is the next one's, or one of two branches'; there is no tensor that both could write.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_REGIONMEMORY_H
#define NACRE_COMPILER_KERNELS_ENTRIES_REGIONMEMORY_H

#include "compiler/kernels/entries/EntryBuilder.h"

namespace nacre::kernels {

/// Where a part of memory begins: `offset` elements into it, and `step` further on with each iteration.
struct Steps {
  int64_t offset = 0, step = 0;
};

class RegionMemory {
public:
  RegionMemory(EntryBuilder &entry, mlir::Location loc) : entry(entry), loc(loc) {}

  /// A temporary for a value of this type, or for `rows` of them.
  mlir::Value allocate(mlir::Type type, std::optional<int64_t> rows = std::nullopt);
  /// Part of `memory`, or of a tensor that lies densely then, as a value of `type`; it moves with `counter`.
  mlir::Value view(mlir::Value memory, mlir::Type type, Steps steps, mlir::Value counter);
  /// What `memory` holds, as a tensor.
  mlir::Value load(mlir::Value memory);
  /// Puts the entry's tensor for `host` into memory, or copies it there at this point (PlanOps.td).
  mlir::LogicalResult store(mlir::Value host, mlir::Value memory, bool isLate = false);
  void storeTensor(mlir::Value tensor, mlir::Value memory, bool isLate);

private:
  EntryBuilder &entry;
  mlir::Location loc;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_REGIONMEMORY_H
