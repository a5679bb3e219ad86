// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the loops of a kernel's operations that count rows, and those that count the columns of a row.
// Why:   a workgroup computes whole rows: every reduction must be over the same columns.
// How:   the first reduction defines them. The loops of other operations are found by following reads from operation to
//        operation.

#ifndef NACRE_CODEGEN_GPU_POINTS_ROWLOOPS_H
#define NACRE_CODEGEN_GPU_POINTS_ROWLOOPS_H

#include "codegen/form/KernelForm.h"

namespace nacre::codegen::gpu {

struct RowLoops {
  /// Purpose of a loop. None for a loop of one iteration.
  struct Role {
    enum Kind { None, Row, Column } kind = None;
    unsigned number = 0; ///< Number among the loops of rows, or of columns.

    bool operator==(const Role &other) const { return kind == other.kind && number == other.number; }
  };

  llvm::SmallVector<llvm::SmallVector<Role>> roles; ///< Per operation and loop.
  llvm::SmallVector<int64_t> rows, columns;         ///< Sizes of the loops.
  unsigned first = 0;                               ///< Number of the first reduction.
  std::optional<unsigned> cutRow; ///< Loop of rows that walks the cut axis; `nullopt` if the kernel is not divided.
  llvm::SmallVector<unsigned> cutAxes; ///< Axis of each written tensor that the cut loop walks.

  /// True if operation `work` has a value for each column.
  bool hasColumns(unsigned work) const;
  /// Returns the least distance other than 0 at which a storage is read along loops of `role`.
  int64_t strideOf(const KernelForm &form, Role role) const;
};

/// Finds the roles of all loops. Fails if a reduction is not over all columns of a row, or if a loop has no role.
llvm::FailureOr<RowLoops> findRowLoops(const KernelForm &form);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_ROWLOOPS_H
