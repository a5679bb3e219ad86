// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/TileTables.h"

#include "runtime/include/nacre/model_format.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace nacre::codegen::gpu {

int64_t GpuTile::tileRows() const { return (kind == Kind::Cooperative ? kMatrixSize : 1) * rows * rowThreads; }

int64_t GpuTile::tileColumns() const { return (kind == Kind::Cooperative ? kMatrixSize : 4) * quads * columnThreads; }

int64_t GpuTile::invocations() const {
  const int64_t each = kind == Kind::Cooperative ? kSubgroup : kind == Kind::Split ? depth : parts;
  return each * columnThreads * rowThreads;
}

namespace {

/// A tile without shared memory: neighbours read neighbouring columns, as many as there are.
GpuTile directTile(const TileRequest &request) {
  GpuTile tile;
  const int64_t quads = llvm::divideCeil(request.columns, 4);
  tile.columnThreads = std::min<int64_t>(16, llvm::PowerOf2Ceil(quads));
  tile.rowThreads = 64 / tile.columnThreads;
  // Fewer rows each while there are too few invocations to fill a phone's GPU.
  constexpr int64_t wanted = 4096;
  for (tile.rows = request.depthwise ? 4 : 8; tile.rows > 1; tile.rows /= 2)
    if (request.blocks * quads * llvm::divideCeil(request.rows, tile.rows) >= wanted)
      break;
  tile.rows = std::min<int64_t>(tile.rows, llvm::PowerOf2Ceil(request.rows));
  while (tile.rowThreads > 1 && tile.rows * tile.rowThreads >= 2 * request.rows)
    tile.rowThreads /= 2;
  return tile;
}

/// A product of few rows: invocations divide the reduction until there are enough of them.
std::optional<GpuTile> splitTile(const TileRequest &request) {
  constexpr int64_t mostRows = 4, leastDepth = 64, wanted = 16384;
  const int64_t quads = llvm::divideCeil(request.columns, 4);
  if (request.depthwise || request.rows > mostRows || request.depth < leastDepth || request.blocks * quads >= wanted)
    return std::nullopt;
  GpuTile tile;
  tile.kind = GpuTile::Kind::Split;
  tile.rows = request.rows;
  tile.rowThreads = 1;
  tile.columnThreads = std::min<int64_t>(8, llvm::PowerOf2Ceil(quads));
  tile.depth = 128 / tile.columnThreads;
  return tile;
}

constexpr uint32_t family(nacre_gpu_family name) { return 1u << name; }

/// GPUs whose shared memory is faster than their caches. Mali has none of its own; CPUs that play a GPU pay for
/// barriers.
constexpr uint32_t kWithFastSharedMemory =
    family(NACRE_GPU_OTHER) | family(NACRE_GPU_NVIDIA) | family(NACRE_GPU_AMD) | family(NACRE_GPU_INTEL);

/// `wanted`: workgroups from which on it beats the next smaller one. Measured on a device of 132 compute units, on
/// 1024 x 1024 and on layers of ResNet-50 at batch 1 and 16.
struct TileSize {
  int64_t wanted, rows, quads, columnThreads, rowThreads, depth, parts = 1;
};

/// The largest of `sizes`, which go from large to small, that still makes enough workgroups and is no wider than the
/// columns; the smallest where none does.
GpuTile largestThatFills(const TileRequest &request, GpuTile tile, llvm::ArrayRef<TileSize> sizes) {
  for (const TileSize &size : sizes) {
    tile.rows = size.rows;
    tile.quads = size.quads;
    tile.columnThreads = size.columnThreads;
    tile.rowThreads = size.rowThreads;
    tile.depth = size.depth;
    tile.parts = size.parts;
    const int64_t tiles = request.blocks * llvm::divideCeil(request.rows, tile.tileRows()) *
                          llvm::divideCeil(request.columns, tile.tileColumns());
    if (tiles >= size.wanted && tile.tileColumns() <= int64_t(llvm::PowerOf2Ceil(request.columns)))
      break;
  }
  return tile;
}

std::optional<GpuTile> sharedTile(const TileRequest &request) {
  if (request.depthwise || request.rows < 16 || request.columns < 16 || request.depth < 8 || request.bytes > 4)
    return std::nullopt;
  static constexpr TileSize sizes[] = {
      {96, 8, 2, 16, 16, 16}, // 128 x 128
      {128, 8, 2, 8, 8, 16},  // 64 x 64
      {264, 4, 1, 8, 8, 16},  // 32 x 32
      {0, 4, 1, 8, 8, 32,
       4}, // the same by four times the invocations, where the reduction is long enough to be divided
  };
  constexpr int64_t longReduction = 128;
  GpuTile tile;
  tile.kind = GpuTile::Kind::Shared;
  tile.families = kWithFastSharedMemory;
  return largestThatFills(request, tile, llvm::ArrayRef(sizes).drop_back(request.depth < longReduction));
}

/// CPUs that play a GPU load one element of one lane after the other, each under its own mask, but multiply all lanes
/// at once: as many products for each load as an invocation's stack has room for. Measured on lavapipe, 512 x 512 x
/// 512, in GFLOP/s of one core: 8 x 4 per invocation 4.0, 8 x 16 10.6, 16 x 16 11.7, 32 x 16 13 at twice the time to
/// compile.
std::optional<GpuTile> tallTile(const TileRequest &request) {
  constexpr int64_t leastDepth = 16, leastTiles = 4;
  GpuTile tile;
  tile.families = family(NACRE_GPU_CPU);
  tile.columnThreads = 4;
  tile.rowThreads = 2;
  for (tile.quads = 4; tile.quads > 1 && 4 * tile.quads * tile.columnThreads > request.columns; tile.quads /= 2)
    ;
  for (tile.rows = 16; tile.rows > 1 && tile.tileRows() > request.rows; tile.rows /= 2)
    ;
  const int64_t tiles = request.blocks * llvm::divideCeil(request.rows, tile.tileRows()) *
                        llvm::divideCeil(request.columns, tile.tileColumns());
  if (!request.mayBePlayed || request.depthwise || request.depth < leastDepth || tile.rows * tile.quads <= 8 ||
      tiles < leastTiles)
    return std::nullopt;
  return tile;
}

std::optional<GpuTile> cooperativeTile(const TileRequest &request) {
  if (!request.halves || request.depthwise || request.rows < 16 || request.columns < 16 || request.depth < 16)
    return std::nullopt;
  static constexpr TileSize sizes[] = {
      {96, 4, 4, 2, 2, 32},  // 128 x 128
      {132, 2, 2, 2, 2, 32}, // 64 x 64
      {0, 1, 1, 2, 2, 64},   // 32 x 32
  };
  GpuTile tile;
  tile.kind = GpuTile::Kind::Cooperative;
  return largestThatFills(request, tile, sizes);
}

} // namespace

llvm::SmallVector<GpuTile, 4> chooseGpuTiles(const TileRequest &request) {
  llvm::SmallVector<GpuTile, 4> tiles;
  if (std::optional<GpuTile> cooperative = cooperativeTile(request))
    tiles.push_back(*cooperative);
  if (std::optional<GpuTile> shared = sharedTile(request))
    tiles.push_back(*shared);
  if (std::optional<GpuTile> tall = tallTile(request))
    tiles.push_back(*tall);
  tiles.push_back(splitTile(request).value_or(directTile(request)));
  return tiles;
}

} // namespace nacre::codegen::gpu
