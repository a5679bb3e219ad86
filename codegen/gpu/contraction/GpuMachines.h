// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  properties of each family of GPUs: its units, and their times for tiles.
// Why:   times of one device predict little for another. The table must show which times are measured, and which
//        estimated.
// How:   a row for each family, and the tiles from which its contractions choose. docs/decisions states the accuracy of
//        the estimate.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_GPUMACHINES_H
#define NACRE_CODEGEN_GPU_CONTRACTION_GPUMACHINES_H

#include "codegen/gpu/GpuTile.h"
#include "runtime/include/nacre/model_format.h"
#include "llvm/ADT/ArrayRef.h"

namespace nacre::codegen::gpu {

/// Lists of tiles that go through shared memory, by purpose.
enum class TileList {
  Shared,
  SharedOfFewSteps, ///< Tiles for reductions that are too short to be divided among sets.
  Cooperative
};

/// Time of a step of the reduction for `perUnit` concurrent workgroups on each unit. Further workgroups wait.
struct StepTime {
  double nanoseconds = 0;
  int64_t perUnit = 1;
};

/// Nanoseconds of a block by Winograd, one on each unit at a time; 0 for machines without measurements.
struct WinogradTime {
  double step = 0; ///< Per channel of a convolution, or per tile of pixels of a filter's gradient.
  double ends = 0; ///< Loads of the first part, and the results.
};

struct GpuMachine {
  nacre_gpu_family family;
  const char *device; ///< Device of the family whose figures these are.
  bool isMeasured;    ///< True if its times are measured; else they are estimated from the figures below.
  int64_t units;      ///< Compute units; a workgroup runs on one.
  double gigahertz;
  double lanes;       ///< f32 multiply-adds of a unit per cycle.
  double sharedBytes; ///< Bytes that a unit reads from its shared memory per cycle.
  /// f16 multiply-adds of a unit per cycle in cooperative matrices that our templates can use; 0 without matrices.
  double matrixLanes;
  double latency;                     ///< Cycles of a load from memory.
  WinogradTime convolution, gradient; ///< Times of a convolution, and of a filter's gradient.
};

/// Bytes that a unit of any family reads from its first cache per cycle.
inline constexpr double kUnitCacheBytes = 64;

/// Returns the families whose shared memory is faster than their caches; measured ones come first. The others get the
/// variants without shared memory, since nothing is known by which to choose tiles. Mali has no separate shared memory,
/// Adreno and PowerVR are not measured, and barriers are slow on CPUs that emulate a GPU.
llvm::ArrayRef<GpuMachine> gpuMachines();

llvm::ArrayRef<GpuTile> tilesOf(TileList list);

/// Returns the time of tile number `index` of the list. For tiles of matrices, the machine must have matrices.
StepTime stepTimeOf(const GpuMachine &machine, TileList list, size_t index);

/// Return the blocks by Winograd: of a convolution, and of the gradient of its filter.
const GpuTile &winogradBlock();
const GpuTile &winogradGradient();

/// Returns stepTimeOf's estimate for machines without measurements.
double estimateStep(const GpuMachine &machine, const GpuTile &tile);

/// A GPU family of phones, whose shared memory is no faster than a cache. The figures are estimates from vendors'
/// descriptions.
struct PhoneGpu {
  nacre_gpu_family family;
  const char *device;
  int64_t units;
  double lanes; ///< f32 multiply-adds of a unit per cycle.
  double words; ///< 32-bit words that a unit reads from, or writes to, its cache or shared memory per cycle.
};

llvm::ArrayRef<PhoneGpu> phoneGpus();

constexpr uint32_t maskOf(nacre_gpu_family family) { return 1u << family; }

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_GPUMACHINES_H
