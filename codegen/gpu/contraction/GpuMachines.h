// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  properties of each family of GPUs: its units, and the times that they take for tiles.
// Why:   the times on one device predict little for another. The table must show which times are measured and which are
//        estimated.
// How:   the table has a row for each family, and the lists of tiles for contractions. docs/decisions states the
//        accuracy of the estimate.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_GPUMACHINES_H
#define NACRE_CODEGEN_GPU_CONTRACTION_GPUMACHINES_H

#include "codegen/gpu/GpuTile.h"
#include "runtime/include/nacre/model_format.h"
#include "llvm/ADT/ArrayRef.h"

namespace nacre::codegen::gpu {

/// Lists of tiles that use shared memory.
enum class TileList {
  Shared,
  SharedOfFewSteps, ///< Tiles for reductions that are too short to be divided among sets of invocations.
  Cooperative
};

/// Time of a step of the reduction if `perUnit` workgroups run on each unit. Further workgroups wait.
struct StepTime {
  double nanoseconds = 0;
  int64_t perUnit = 1;
};

/// Times of a Winograd block in nanoseconds, if each unit runs one block at a time. 0 for machines without
/// measurements.
struct WinogradTime {
  double step = 0; ///< Time per channel of a convolution, or per tile of pixels of a filter's gradient.
  double ends = 0; ///< Time to load the first part and to write the results.
};

struct GpuMachine {
  nacre_gpu_family family;
  const char *device; ///< Device of the family that the figures describe.
  bool isMeasured;    ///< True if the times are measured; false if they are estimated from the figures below.
  int64_t units;      ///< Number of compute units. A workgroup runs on one of them.
  double gigahertz;
  double lanes;       ///< Number of f32 multiply-adds of a unit per cycle.
  double sharedBytes; ///< Bytes that a unit reads from its shared memory per cycle.
  /// Number of f16 multiply-adds of a unit per cycle in cooperative matrices that our templates can use. 0 if there are
  /// no such matrices.
  double matrixLanes;
  /// True if there are also matrices of 16 x 32 signed bytes, each multiplied in the time of one of 16 x 16 f16.
  bool multipliesBytes;
  double latency;                     ///< Latency of a load from memory in cycles.
  WinogradTime convolution, gradient; ///< Times of a convolution, and of a filter's gradient.
};

/// Number of bytes that a unit of any family reads from its first-level cache per cycle.
inline constexpr double kUnitCacheBytes = 64;

/// Returns the families whose shared memory is faster than their caches, measured ones first. Other families get the
/// variants without shared memory, because their times for tiles are unknown. Mali has no separate shared memory.
/// Adreno and PowerVR are not measured. Barriers are slow on CPUs that emulate a GPU.
llvm::ArrayRef<GpuMachine> gpuMachines();

llvm::ArrayRef<GpuTile> tilesOf(TileList list);

/// Returns the time of the tile at position `index` of `list`. For tiles of matrices, the machine must have matrices.
StepTime stepTimeOf(const GpuMachine &machine, TileList list, size_t index);

/// Return the tiles of Winograd blocks: for a convolution, and for the gradient of its filter.
const GpuTile::WinogradBlock &winogradBlock();
const GpuTile::WinogradGradient &winogradGradient();

/// Returns the estimated time of a step in nanoseconds. stepTimeOf() uses it for machines without measurements.
double estimateStep(const GpuMachine &machine, const GpuTile &tile);

/// A GPU family of phones, whose shared memory is no faster than a cache. The figures are estimates from descriptions
/// by the vendors.
struct PhoneGpu {
  nacre_gpu_family family;
  const char *device;
  int64_t units;
  double lanes; ///< Number of f32 multiply-adds of a unit per cycle.
  double words; ///< Number of 32-bit words that a unit reads or writes per cycle, in its cache or shared memory.
};

llvm::ArrayRef<PhoneGpu> phoneGpus();

constexpr uint32_t maskOf(nacre_gpu_family family) { return 1u << family; }

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_GPUMACHINES_H
