// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how many invocations share a row, and how they take its columns.
// Why:   plain arithmetic, so that it can be tested alone.

#ifndef NACRE_CODEGEN_GPU_POINTS_ROWGRID_H
#define NACRE_CODEGEN_GPU_POINTS_ROWGRID_H

#include <cstdint>
#include <optional>

namespace nacre::codegen::gpu {

struct RowShape {
  int64_t rows = 1, columns = 1;
  bool columnsAdjoin = false; ///< Neighbouring columns are neighbours in memory.
  bool rowsAdjoin = false;    ///< Neighbouring rows are.
  bool quads = false;         ///< Columns may be taken by fours.
  bool mustBeRows = false;    ///< No other emitter takes the kernel.
};

struct RowGrid {
  int64_t columns = 1; ///< Vectors of `lanes`.
  unsigned lanes = 1;  ///< Of the columns.
  int64_t perRow = 1;  ///< Invocations that share a row: a power of two.
  int64_t sums = 1; ///< Partial results of an invocation: a power of two. Together, all variants have as many per row.
  int64_t workgroup = 1;   ///< Invocations.
  unsigned variants = 1;   ///< How many choices there are.
  bool rowsFirst = false;  ///< Neighbouring invocations compute neighbouring rows.
  bool inRegisters = true; ///< A row's values, from one sweep over it to the next.
};

/// The choice number `variant` of its variants, the best first. None where points are the better division.
std::optional<RowGrid> chooseRowGrid(const RowShape &shape, unsigned variant);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_ROWGRID_H
