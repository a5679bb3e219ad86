// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of workgroups computes few indices of the cut axis, so that shares can be fine-grained. But there are enough of
// them to keep its last workgroup mostly busy.

#include "codegen/gpu/points/PointGrid.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace nacre::codegen::gpu {

PointGrid choosePointGrid(int64_t extent, int64_t step, int64_t perIndex, int64_t workgroup) {
  constexpr int64_t kTries = 64;
  constexpr double kFewIdle = 1.06;
  const int64_t least = llvm::alignTo(llvm::divideCeil(extent, kMostGroups), step);
  double best = 0;
  PointGrid grid;
  for (int64_t number = 0, unit = least; number < kTries && (number == 0 || unit < extent + step);
       ++number, unit += step) {
    const int64_t points = std::min(unit, extent) * perIndex;
    const double computed = double(llvm::divideCeil(points, workgroup)) * double(workgroup);
    const double idle = computed / double(points);
    if (number > 0 && idle >= best)
      continue;
    best = idle;
    grid.unitExtent = unit;
    grid.groups = llvm::divideCeil(points, workgroup);
    if (idle < kFewIdle)
      break;
  }
  grid.iterations = llvm::divideCeil(grid.groups, kMostGroups);
  grid.groups = llvm::divideCeil(grid.groups, grid.iterations);
  grid.threads = grid.groups * workgroup;
  return grid;
}

} // namespace nacre::codegen::gpu
