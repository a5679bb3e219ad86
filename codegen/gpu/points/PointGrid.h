// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how many workgroups compute a kernel whose points, or rows, are independent of one another.
// Why:   plain arithmetic, so that it can be tested alone.

#ifndef NACRE_CODEGEN_GPU_POINTS_POINTGRID_H
#define NACRE_CODEGEN_GPU_POINTS_POINTGRID_H

#include <cstdint>

namespace nacre::codegen::gpu {

/// Workgroups in either direction of a dispatch are at most this many.
constexpr int64_t kMostGroups = 65535;

struct PointGrid {
  int64_t unitExtent = 1; ///< Indices of the cut axis in a row of workgroups.
  int64_t groups = 1;     ///< Workgroups in a row.
  int64_t iterations = 1; ///< Points that an invocation computes one after the other.
  int64_t threads = 1;    ///< Of a row of workgroups.
};

/// For `perIndex` points for each of `extent` indices of the cut axis, in steps of `step` of them, which must divide
/// the unit extent. `workgroup` is how many points a workgroup computes at once.
PointGrid choosePointGrid(int64_t extent, int64_t step, int64_t perIndex, int64_t workgroup);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_POINTGRID_H
