// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the number of workgroups for a kernel whose points, or rows, are independent of one another.
// Why:   as plain arithmetic, it can be tested without a compiler.

#ifndef NACRE_CODEGEN_GPU_POINTS_POINTGRID_H
#define NACRE_CODEGEN_GPU_POINTS_POINTGRID_H

#include <cstdint>

namespace nacre::codegen::gpu {

/// Most workgroups in either dimension of a dispatch.
constexpr int64_t kMostGroups = 65535;

struct PointGrid {
  int64_t unitExtent = 1; ///< Indices of the cut axis in a row of workgroups.
  int64_t groups = 1;     ///< Workgroups in a row.
  int64_t iterations = 1; ///< Points that an invocation computes one after another.
  int64_t threads = 1;    ///< Invocations of a row of workgroups.
};

/// Chooses a grid for `perIndex` points for each of `extent` indices of the cut axis. The unit extent is a multiple of
/// `step`. `workgroup` is the number of points that a workgroup computes at once.
PointGrid choosePointGrid(int64_t extent, int64_t step, int64_t perIndex, int64_t workgroup);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_POINTGRID_H
