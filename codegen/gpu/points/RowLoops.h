// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which loops of a kernel's operations count rows, and which the columns of a row.
// Why:   a workgroup computes whole rows: every reduction over the columns must be one of the same columns.
// How:   the first reduction names them; from there they are found through what operations read of one another.

#ifndef NACRE_CODEGEN_GPU_POINTS_ROWLOOPS_H
#define NACRE_CODEGEN_GPU_POINTS_ROWLOOPS_H

#include "codegen/form/KernelForm.h"

namespace nacre::codegen::gpu {

struct RowLoops {
  /// What a loop counts: nothing where it has one iteration.
  struct Role {
    enum Kind { None, Row, Column } kind = None;
    unsigned number = 0; ///< Of rows, or of columns.

    bool operator==(const Role &other) const { return kind == other.kind && number == other.number; }
  };

  llvm::SmallVector<llvm::SmallVector<Role>> roles; ///< Per operation and loop.
  llvm::SmallVector<int64_t> rows, columns;         ///< Sizes.
  unsigned first = 0;                               ///< The first reduction.
  std::optional<unsigned> cutRow;      ///< The rows' loop that is cut; none where a share is all or nothing.
  llvm::SmallVector<unsigned> cutAxes; ///< Of each written tensor.

  /// Whether operation `work` has a value for each column.
  bool hasColumns(unsigned work) const;
  /// Returns the least distance other than 0 at which a storage is read along loops of `role`.
  int64_t strideOf(const KernelForm &form, Role role) const;
};

/// Fails where a reduction is not one over all columns of a row, or loops stay unknown.
llvm::FailureOr<RowLoops> findRowLoops(const KernelForm &form);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_ROWLOOPS_H
