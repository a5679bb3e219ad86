// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/GpuMachines.h"

#include <cassert>

namespace nacre::codegen::gpu {
namespace {

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

constexpr GpuTile sharedOf(int64_t rows, int64_t quads, int64_t columnThreads, int64_t rowThreads, int64_t depth,
                           int64_t parts = 1, int64_t unroll = 1) {
  return {sharedTile(rows, quads, columnThreads, rowThreads, depth, parts, unroll)};
}

constexpr GpuTile::Cooperative matricesOf(int64_t rows, int64_t columns, int64_t columnSubgroups, int64_t rowSubgroups,
                                          int64_t depth, int64_t parts) {
  GpuTile::Cooperative tile;
  tile.matrixRows = rows;
  tile.matrixColumns = columns;
  tile.columnSubgroups = columnSubgroups;
  tile.rowSubgroups = rowSubgroups;
  tile.depth = depth;
  tile.parts = parts;
  tile.buffers = 1;
  return tile;
}

constexpr GpuTile cooperativeOf(int64_t rows, int64_t columns, int64_t columnSubgroups, int64_t rowSubgroups,
                                int64_t depth, int64_t parts = 1) {
  return {matricesOf(rows, columns, columnSubgroups, rowSubgroups, depth, parts)};
}

/// Returns the widest tile. Shared memory has no room for two buffers of more steps. With so few steps, loads must be
/// three parts ahead.
constexpr GpuTile widestCooperative() {
  GpuTile::Cooperative tile = matricesOf(4, 4, 4, 2, 16, 1);
  tile.buffers = 2;
  tile.ahead = 3;
  return {tile, /*band=*/8};
}

// The tiles were found by measuring products of 1024 x 1024 and 4096 x 4096, and the layers of ResNet-50 at batch 1.
// Layers with 3x3 filters were also measured at batch 16.

/// Tiles for f32 operands. Small tiles have several sets of invocations, because a unit needs eight groups of 32 to be
/// busy.
constexpr GpuTile kShared[] = {
    sharedOf(8, 4, 8, 16, 8, 1, 2),   // 128 x 128
    sharedOf(8, 2, 8, 16, 8, 1, 2),   // 128 x 64
    sharedOf(6, 2, 16, 16, 16, 1, 2), // 96 x 128
    sharedOf(6, 2, 8, 16, 16, 2, 2),  // 96 x 64
    sharedOf(8, 2, 8, 8, 16, 2, 2),   // 64 x 64
    sharedOf(8, 1, 8, 8, 32, 4, 2),   // 64 x 32
    sharedOf(6, 1, 8, 8, 64, 4),      // 48 x 32
    sharedOf(4, 1, 8, 8, 64, 4),      // 32 x 32
    sharedOf(4, 1, 8, 4, 64, 8),      // 16 x 32
    sharedOf(2, 1, 8, 4, 128, 8),     // 8 x 32
};

constexpr GpuTile kSharedOfFewSteps[] = {
    sharedOf(8, 2, 16, 16, 16),     // 128 x 128
    sharedOf(6, 2, 16, 16, 16),     // 96 x 128
    sharedOf(8, 1, 16, 8, 16),      // 64 x 64
    sharedOf(6, 1, 16, 16, 16),     // 96 x 64
    sharedOf(4, 1, 8, 8, 16, 1, 2), // 32 x 32
};

/// Tiles for f16 operands. Deep parts read whole cache lines.
constexpr GpuTile kCooperative[] = {
    widestCooperative(),               // 128 x 256
    cooperativeOf(3, 4, 2, 2, 64),     // 96 x 128
    cooperativeOf(2, 2, 4, 2, 64),     // 64 x 128
    cooperativeOf(3, 4, 1, 2, 128, 2), // 96 x 64
    cooperativeOf(3, 2, 2, 2, 64),     // Same tile, for reductions that are not a multiple of 128.
    cooperativeOf(1, 2, 2, 2, 96),     // 32 x 64
    cooperativeOf(1, 2, 2, 2, 64),     // Same tile, for fewer steps per part.
    cooperativeOf(1, 1, 2, 2, 128),    // 32 x 32
    cooperativeOf(1, 1, 2, 2, 64),     // Same tile, for fewer steps per part.
    cooperativeOf(1, 2, 1, 1, 256, 8), // 16 x 32
    cooperativeOf(1, 1, 1, 1, 256, 8), // 16 x 16
};

template <typename Kind> constexpr Kind blockOf() {
  Kind tile;
  tile.rows = 8;
  tile.quads = tile.columnThreads = tile.rowThreads = 4;
  tile.depth = 8;
  return tile;
}

/// Winograd blocks of 32 tiles of pixels, or of 32 channels, by 64 columns. Each invocation has 8 x 16 sums, which fill
/// its registers.
constexpr auto kWinogradBlock = blockOf<GpuTile::WinogradBlock>();
constexpr auto kWinogradGradient = blockOf<GpuTile::WinogradGradient>();

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

/// Figures that we did not measure come from descriptions by the vendors, for a device in the middle of the family.
constexpr GpuMachine kMachines[] = {
    {NACRE_GPU_NVIDIA, "H200", /*isMeasured=*/true, /*units=*/132, /*gigahertz=*/1.98, /*lanes=*/128,
     /*sharedBytes=*/128, /*matrixLanes=*/1024, /*multipliesBytes=*/true, /*latency=*/700, /*convolution=*/{370, 1500},
     /*gradient=*/{250, 14000}},
    {NACRE_GPU_AMD, "Radeon RX 7600", /*isMeasured=*/false, /*units=*/32, /*gigahertz=*/2.6, /*lanes=*/64,
     /*sharedBytes=*/128, /*matrixLanes=*/256, /*multipliesBytes=*/false, /*latency=*/500, /*convolution=*/{},
     /*gradient=*/{}},
    {NACRE_GPU_INTEL, "Arc of a Core Ultra", /*isMeasured=*/false, /*units=*/8, /*gigahertz=*/2.2, /*lanes=*/128,
     /*sharedBytes=*/128, /*matrixLanes=*/0, /*multipliesBytes=*/false, /*latency=*/600, /*convolution=*/{},
     /*gradient=*/{}},
    {NACRE_GPU_OTHER, "a guess", /*isMeasured=*/false, /*units=*/16, /*gigahertz=*/1, /*lanes=*/64,
     /*sharedBytes=*/64, /*matrixLanes=*/256, /*multipliesBytes=*/false, /*latency=*/500, /*convolution=*/{},
     /*gradient=*/{}},
};

constexpr PhoneGpu kPhones[] = {
    {NACRE_GPU_ADRENO, "Adreno 650", /*units=*/3, /*lanes=*/256, /*words=*/64},
    {NACRE_GPU_MALI, "Mali-G78 of 14 cores", /*units=*/14, /*lanes=*/32, /*words=*/16},
};

// Times on an H200, in the order of the tiles. Its driver gives the workgroups of a unit a total of 48 KiB of shared
// memory.
constexpr StepTime kSharedTimes[] = {{188.0, 2}, {148.0, 3}, {74.9, 1}, {40.7, 1}, {27.2, 1},
                                     {16.4, 1},  {13.4, 1},  {9.5, 1},  {6.0, 1},  {4.3, 1}};
constexpr StepTime kSharedTimesOfFewSteps[] = {{102.0, 1}, {81.0, 1}, {56.5, 2}, {46.5, 1}, {13.5, 1}};
constexpr StepTime kCooperativeTimes[] = {{28.0, 1}, {13.5, 1}, {10.9, 1}, {7.4, 1}, {8.3, 1}, {5.0, 1},
                                          {6.1, 1},  {4.0, 1},  {5.0, 1},  {2.8, 1}, {2.1, 1}};

struct MeasuredTiles {
  llvm::ArrayRef<GpuTile> tiles;
  llvm::ArrayRef<StepTime> times;
};

MeasuredTiles measuredOf(TileList list) {
  static_assert(std::size(kShared) == std::size(kSharedTimes));
  static_assert(std::size(kSharedOfFewSteps) == std::size(kSharedTimesOfFewSteps));
  static_assert(std::size(kCooperative) == std::size(kCooperativeTimes));
  switch (list) {
  case TileList::Shared:
    return {kShared, kSharedTimes};
  case TileList::SharedOfFewSteps:
    return {kSharedOfFewSteps, kSharedTimesOfFewSteps};
  case TileList::Cooperative:
    return {kCooperative, kCooperativeTimes};
  }
  llvm_unreachable("every list has a case");
}

} // namespace

llvm::ArrayRef<GpuMachine> gpuMachines() { return kMachines; }

llvm::ArrayRef<PhoneGpu> phoneGpus() { return kPhones; }

llvm::ArrayRef<GpuTile> tilesOf(TileList list) { return measuredOf(list).tiles; }

const GpuTile::WinogradBlock &winogradBlock() { return kWinogradBlock; }

const GpuTile::WinogradGradient &winogradGradient() { return kWinogradGradient; }

double estimateStep(const GpuMachine &machine, const GpuTile &tile) {
  // The arithmetic of a unit and its reads from shared memory do not overlap. Measurements agree with this estimate
  // within a third. One set of invocations computes a step, while the other sets compute other steps.
  const double products = double(tile.tileRows()) * double(tile.tileColumns());
  if (const auto *shared = tile.as<GpuTile::Shared>()) {
    const double bytes = double((shared->rows + 4 * shared->quads) * 4 * shared->columnThreads * shared->rowThreads);
    return (products / machine.lanes + bytes / machine.sharedBytes) / machine.gigahertz;
  }
  const auto *matrices = tile.as<GpuTile::Cooperative>();
  assert(matrices && machine.matrixLanes > 0 && "nothing else is listed");
  // Each subgroup reads 16 elements of each row and column of its matrices. With one buffer, all subgroups wait for
  // loads.
  const double bytes = double((matrices->matrixRows + matrices->matrixColumns) * kMatrixSize * 2 *
                              matrices->columnSubgroups * matrices->rowSubgroups);
  const double waiting = machine.latency / double(matrices->depth * (matrices->buffers == 1 ? 1 : 1 + matrices->ahead));
  return (products / machine.matrixLanes + bytes / machine.sharedBytes + waiting) / machine.gigahertz;
}

StepTime stepTimeOf(const GpuMachine &machine, TileList list, size_t index) {
  const MeasuredTiles measured = measuredOf(list);
  return machine.isMeasured ? measured.times[index] : StepTime{estimateStep(machine, measured.tiles[index]), 1};
}

} // namespace nacre::codegen::gpu
