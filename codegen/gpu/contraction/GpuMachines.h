// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what is known of each family of GPUs: its units, and how long they take for a tile.
// Why:   a device's times say little of another's; which of them were measured, and which are an estimate, must be seen.
// How:   a row for each family, and the tiles that its contractions choose from. docs/decisions says how good the
//        estimate is.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_GPUMACHINES_H
#define NACRE_CODEGEN_GPU_CONTRACTION_GPUMACHINES_H

#include "codegen/gpu/GpuTile.h"
#include "runtime/include/nacre/model_format.h"
#include "llvm/ADT/ArrayRef.h"

namespace nacre::codegen::gpu {

/// The tiles that go through shared memory, by what they are for.
enum class TileList {
  Shared,
  SharedOfFewSteps, ///< For reductions too short to be shared among parts.
  Cooperative
};

/// Time for a step of the reduction, of `perUnit` workgroups on each unit at the same time; more wait for one another.
struct StepTime {
  double nanoseconds = 0;
  int64_t perUnit = 1;
};

/// Nanoseconds of a block by Winograd, one on each unit at the same time; nothing is known of machines without.
struct WinogradTime {
  double step = 0; ///< Of each channel of a convolution; of each tile of pixels for a filter's gradient.
  double ends = 0; ///< Of the first part's loads, and of the results.
};

struct GpuMachine {
  nacre_gpu_family family;
  const char *device; ///< Whose figures these are, as one of the family.
  bool isMeasured;    ///< Its times are; else they follow from the figures below.
  int64_t units;      ///< Compute units: what a workgroup runs on.
  double gigahertz;
  double lanes;       ///< Multiply-adds of f32 that a unit does in a cycle.
  double sharedBytes; ///< That a unit reads from its shared memory in a cycle.
  double matrixLanes; ///< As `lanes`, of f16 in cooperative matrices that our templates can use; 0: it has none.
  double latency;     ///< Cycles of a load from memory.
  WinogradTime convolution, gradient; ///< Of a filter.
};

/// Bytes that a unit of any family reads of its first cache in a cycle.
inline constexpr double kUnitCacheBytes = 64;

/// The families whose shared memory is faster than their caches; what was measured comes first. Of the others nothing
/// is known that a tile could be chosen by: they have the variants without shared memory. Mali has none of its own, on
/// Adreno and PowerVR nobody has measured it, and CPUs that play a GPU pay for barriers.
llvm::ArrayRef<GpuMachine> gpuMachines();

llvm::ArrayRef<GpuTile> tilesOf(TileList list);

/// Of tile number `index` of the list. A machine must have matrices for those of them.
StepTime stepTimeOf(const GpuMachine &machine, TileList list, size_t index);

/// The blocks by Winograd: of a convolution, and of the gradient of its filter.
const GpuTile &winogradBlock();
const GpuTile &winogradGradient();

/// What stepTimeOf answers where nothing was measured.
double estimateStep(const GpuMachine &machine, const GpuTile &tile);

/// A family of phones' GPUs, for which shared memory is no faster than a cache: an estimate by the vendors' descriptions.
struct PhoneGpu {
  nacre_gpu_family family;
  const char *device;
  int64_t units;
  double lanes; ///< Multiply-adds of f32 that a unit does in a cycle.
  double words; ///< Of 32 bits, that a unit reads of its cache or its shared memory in a cycle, or writes there.
};

llvm::ArrayRef<PhoneGpu> phoneGpus();

constexpr uint32_t maskOf(nacre_gpu_family family) { return 1u << family; }

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_GPUMACHINES_H
