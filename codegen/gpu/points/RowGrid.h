// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  chooses the number of invocations that share a row, and their division of the row's columns.
// Why:   the choice has only plain arithmetic, so it can be tested without a compiler.

#ifndef NACRE_CODEGEN_GPU_POINTS_ROWGRID_H
#define NACRE_CODEGEN_GPU_POINTS_ROWGRID_H

#include <cstdint>
#include <optional>

namespace nacre::codegen::gpu {

struct RowShape {
  int64_t rows = 1, columns = 1;
  bool columnsAdjoin = false; ///< True if adjacent columns are adjacent in memory.
  bool rowsAdjoin = false;    ///< True if adjacent rows are adjacent in memory.
  bool quads = false;         ///< True if columns can be loaded in vectors of four.
  bool mustBeRows = false;    ///< True for kernels of kind row, which are always divided into rows.
};

struct RowGrid {
  int64_t columns = 1; ///< Number of vectors of `lanes` columns in a row.
  unsigned lanes = 1;  ///< Number of columns per vector.
  int64_t perRow = 1;  ///< Number of invocations that share a row; a power of two.
  /// Number of partial results of an invocation; a power of two. All variants have the same number of them per row.
  int64_t sums = 1;
  int64_t workgroup = 1;   ///< Number of invocations of a workgroup.
  unsigned variants = 1;   ///< Number of variants.
  bool rowsFirst = false;  ///< True if adjacent invocations compute adjacent rows.
  bool inRegisters = true; ///< True if a row's values stay in registers from one sweep to the next.
};

/// Returns the grid of the variant with index `variant`; variant 0 is the best. Returns `nullopt` if dividing the
/// kernel into points is better.
std::optional<RowGrid> chooseRowGrid(const RowShape &shape, unsigned variant);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_ROWGRID_H
