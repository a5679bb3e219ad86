// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how long a launch takes on each engine, whole or for a share of its cut axis.
// Why:   placement compares engines before anything has run; plain numbers in, seconds out, so that it can be tested
//        and tuned without IR or device.
// How:   a roofline for each engine: the larger of arithmetic over rate and bytes over bandwidth, each lessened by how
//        much of the engine work of that form and size can use, plus what a launch costs in itself.
//        docs/phases/place.md says where the constants come from.

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

/// What a launch takes where it is alone, apart from meetings; `share` of the cut axis, 0 to 1. Nothing takes no time.
double cpuSeconds(const LaunchWork &work, const DeviceProfile &device, double share = 1);
double gpuSeconds(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision, double share = 1);

/// Both at the same time, the GPU with its share, the CPU with the rest: they have one memory between them.
struct CutSeconds {
  double cpu = 0, gpu = 0;
};
CutSeconds cutSeconds(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision, double gpuShare);

/// The multiple of `grain` in [0, extent] for the GPU that makes the longer of both times, the GPU's with a meeting,
/// shortest.
int64_t balancedCut(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision, int64_t extent,
                    int64_t grain);

/// The cuts that a search should try: none, all, the balanced one and sixteenths; different multiples of the grain, or
/// all.
llvm::SmallVector<int64_t> promisingCuts(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision,
                                         int64_t extent, int64_t grain);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_COSTMODEL_H
