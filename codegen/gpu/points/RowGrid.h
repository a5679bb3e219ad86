// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the number of invocations that share a row, and their division of its columns.
// Why:   as plain arithmetic, it can be tested without a compiler.

#ifndef NACRE_CODEGEN_GPU_POINTS_ROWGRID_H
#define NACRE_CODEGEN_GPU_POINTS_ROWGRID_H

#include <cstdint>
#include <optional>

namespace nacre::codegen::gpu {

struct RowShape {
  int64_t rows = 1, columns = 1;
  bool columnsAdjoin = false; ///< Adjacent columns are adjacent in memory.
  bool rowsAdjoin = false;    ///< Adjacent rows are adjacent in memory.
  bool quads = false;         ///< Columns can be loaded in vectors of four.
  bool mustBeRows = false;    ///< True for kernels of kind row, which are always divided into rows.
};

struct RowGrid {
  int64_t columns = 1; ///< Columns in vectors of `lanes`.
  unsigned lanes = 1;  ///< Columns per vector.
  int64_t perRow = 1;  ///< Invocations that share a row: a power of two.
  /// Partial results of an invocation: a power of two. Each variant has the same number of them per row.
  int64_t sums = 1;
  int64_t workgroup = 1;   ///< Invocations of a workgroup.
  unsigned variants = 1;   ///< Number of variants.
  bool rowsFirst = false;  ///< Adjacent invocations compute adjacent rows.
  bool inRegisters = true; ///< A row's values stay in registers from one sweep to the next.
};

/// Returns the grid of variant number `variant`; the best one is first. Returns `nullopt` if points are the better
/// division.
std::optional<RowGrid> chooseRowGrid(const RowShape &shape, unsigned variant);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_ROWGRID_H
