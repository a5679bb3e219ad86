// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of a launch on each engine, for the complete launch or for a share of its cut axis.
// Why: placement compares engines before anything has run. The model only needs numbers, so it can be tested and tuned
//      without IR or a device.
// How: it has a roofline for each engine: the larger of operations divided by their rate and bytes divided by
//      bandwidth. Both rates are reduced for the form and size of the work. The fixed cost of a launch is added.
//      docs/phases/place.md explains the constants.

#ifndef NACRE_COMPILER_PLACE_COSTMODEL_H
#define NACRE_COMPILER_PLACE_COSTMODEL_H

#include "compiler/place/DeviceProfile.h"
#include "compiler/price/LaunchWork.h"
#include "dialects/plan/GpuPrecision.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::place {

using codegen::WorkForm;
using price::LaunchWork;

/// Returns the time of a launch on the CPU or the GPU. `share` is the computed part of the cut axis, from 0 to 1. No
/// time is needed for a share of 0. The time excludes meetings and work of the other engine.
double cpuSeconds(const LaunchWork &work, const DeviceProfile &device, double share = 1);
double gpuSeconds(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision, double share = 1);

/// Times of a cut launch on both engines, which work at the same time and share the memory bandwidth.
struct CutSeconds {
  double cpu = 0, gpu = 0;
};
CutSeconds cutSeconds(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision, double gpuShare);

/// Returns the end of the GPU's part of [0, extent], a multiple of `grain`. It minimizes the longer of the times of
/// both engines. The GPU's time includes a meeting.
int64_t balancedCut(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision, int64_t extent,
                    int64_t grain);

/// Returns the cuts that a search should try: 0, the whole extent, the balanced cut and sixteenths. They are different
/// multiples of the grain, or the whole extent.
llvm::SmallVector<int64_t> promisingCuts(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision,
                                         int64_t extent, int64_t grain);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_COSTMODEL_H
