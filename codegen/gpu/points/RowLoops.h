// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the loops of a kernel's operations that count rows, and those that count the columns of a row.
// Why:   a workgroup computes whole rows, so every reduction must be over the same columns.
// How:   the loops of the first reduction are rows and columns. The loops of other operations are found by following
//        the reads between operations.

#ifndef NACRE_CODEGEN_GPU_POINTS_ROWLOOPS_H
#define NACRE_CODEGEN_GPU_POINTS_ROWLOOPS_H

#include "codegen/form/KernelForm.h"

namespace nacre::codegen::gpu {

struct RowLoops {
  /// Purpose of a loop: over rows, or over columns. None for a loop of one iteration.
  struct Role {
    enum Kind { None, Row, Column } kind = None;
    unsigned number = 0; ///< Index among the loops over rows, or over columns.

    bool operator==(const Role &other) const { return kind == other.kind && number == other.number; }
  };

  llvm::SmallVector<llvm::SmallVector<Role>> roles; ///< Role of each loop of each operation.
  llvm::SmallVector<int64_t> rows, columns;         ///< Sizes of the loops.
  unsigned first = 0;                               ///< Index of the first reduction.
  /// Index of the loop over rows that walks the cut axis; `nullopt` if the kernel is not divided.
  std::optional<unsigned> cutRow;
  llvm::SmallVector<unsigned> cutAxes; ///< Axis of each written tensor that the cut loop walks.

  /// True if operation `work` has one value for each column.
  bool hasColumns(unsigned work) const;
  /// Returns the smallest stride other than 0 with which the loop of `role` walks a storage.
  int64_t strideOf(const KernelForm &form, Role role) const;
};

/// Finds the roles of all loops. Fails if a reduction is not over all columns of a row, or if a loop has no role.
llvm::FailureOr<RowLoops> findRowLoops(const KernelForm &form);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_ROWLOOPS_H
