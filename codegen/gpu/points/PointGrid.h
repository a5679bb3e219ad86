// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  chooses the number of workgroups for a kernel whose points, or rows, are independent of each other.
// Why:   the choice has only plain arithmetic, so it can be tested without a compiler.

#ifndef NACRE_CODEGEN_GPU_POINTS_POINTGRID_H
#define NACRE_CODEGEN_GPU_POINTS_POINTGRID_H

#include <cstdint>

namespace nacre::codegen::gpu {

/// Limit of the number of workgroups in each dimension of a dispatch.
constexpr int64_t kMostGroups = 65535;

struct PointGrid {
  int64_t unitExtent = 1; ///< Number of indices of the cut axis that a row of workgroups computes.
  int64_t groups = 1;     ///< Number of workgroups in a row.
  int64_t iterations = 1; ///< Number of points that an invocation computes one after another.
  int64_t threads = 1;    ///< Number of invocations of a row of workgroups.
};

/// Chooses a grid for `extent` indices of the cut axis with `perIndex` points each. The unit extent is a multiple of
/// `step`. `workgroup` is the number of points that a workgroup computes simultaneously.
PointGrid choosePointGrid(int64_t extent, int64_t step, int64_t perIndex, int64_t workgroup);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_POINTGRID_H
