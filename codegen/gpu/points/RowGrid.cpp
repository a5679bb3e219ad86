// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/points/RowGrid.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace nacre::codegen::gpu {

std::optional<RowGrid> chooseRowGrid(const RowShape &shape, unsigned variant) {
  constexpr int64_t kLanes = 4, kAnyWorkgroup = 128, kLargeWorkgroup = 512, kManyRows = 16384, kFewRows = 1024;
  constexpr int64_t kFewIterations = 4, kMostInRegisters = 8;
  const bool contiguous = shape.columns > 1 && shape.columnsAdjoin;
  const bool many = shape.rows >= kManyRows;

  // A nest can also be divided into points. Rows are only faster if there are few points, or if points are far apart in
  // memory.
  if (!shape.mustBeRows && (shape.columns < 32 || (shape.rows > kManyRows && !contiguous)))
    return std::nullopt;

  RowGrid grid;
  grid.rowsFirst = !contiguous && shape.rowsAdjoin;
  if (contiguous && shape.quads && shape.columns >= 8 * kLanes)
    grid.lanes = kLanes;
  grid.columns = shape.columns / grid.lanes;
  // A few long rows need workgroups that are larger than some devices support.
  const bool isLong = shape.rows <= kFewRows && grid.columns >= kLargeWorkgroup;
  grid.variants = isLong ? 2 : 1;
  grid.workgroup = isLong && variant == 0 ? kLargeWorkgroup : kAnyWorkgroup;
  // With few rows, each column has an invocation. With many rows, each invocation computes several columns.
  const int64_t wanted = many ? llvm::divideCeil(grid.columns, kFewIterations) : grid.columns;
  auto sharedBy = [&](int64_t workgroup) {
    const int64_t perRow = std::min<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(1, wanted)), workgroup);
    return grid.rowsFirst ? std::min<int64_t>(perRow, many ? 4 : workgroup / 8) : perRow;
  };
  grid.perRow = sharedBy(grid.workgroup);
  // A sum must not depend on the workgroup size that a device supports.
  grid.sums = isLong ? sharedBy(kLargeWorkgroup) / grid.perRow : 1;
  grid.inRegisters = llvm::divideCeil(grid.columns, grid.perRow) <= kMostInRegisters;
  return grid;
}

} // namespace nacre::codegen::gpu
