// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/TileTables.h"

#include "runtime/include/nacre/model_format.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <optional>

namespace nacre::codegen::gpu {

int64_t GpuTile::tileRows() const { return (kind == Kind::Cooperative ? kMatrixSize : 1) * rows * rowThreads; }

int64_t GpuTile::tileColumns() const { return (kind == Kind::Cooperative ? kMatrixSize : 4) * quads * columnThreads; }

int64_t GpuTile::invocations() const {
  const int64_t each = kind == Kind::Cooperative ? kSubgroup : kind == Kind::Split ? depth : parts;
  return each * columnThreads * rowThreads;
}

int64_t GpuTile::sharedBytes() const {
  if (kind == Kind::Cooperative)
    return buffers * 16 *
           (tileRows() * (depth / 8 + kMatrixPadChunks) + depth * (tileColumns() / 8 + kMatrixPadChunks));
  return 2 * 16 * (tileRows() * sharedRowQuads(depth) + depth * tileColumns() / 4);
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

//===----------------------------------------------------------------------===//
// Tiles through shared memory
//===----------------------------------------------------------------------===//

/// A tile and its speed on the GPU that the tables were measured on (NVIDIA H200): `nanoseconds` for a step of the
/// reduction, of `perUnit` workgroups on each of its compute units at the same time. More of them wait for one another:
/// that driver gives all workgroups of a unit 48 KiB of shared memory.
struct MeasuredTile {
  double nanoseconds;
  int64_t perUnit, rows, quads, columnThreads, rowThreads, depth, parts = 1;
};
constexpr int64_t kUnits = 132; ///< It has so many.

GpuTile tileOf(const MeasuredTile &measured, GpuTile tile) {
  tile.rows = measured.rows;
  tile.quads = measured.quads;
  tile.columnThreads = measured.columnThreads;
  tile.rowThreads = measured.rowThreads;
  tile.depth = measured.depth;
  tile.parts = measured.parts;
  return tile;
}

/// The tile that computes the request soonest. What counts is how many rounds of workgroups the units take, each as
/// long as the work in it, wanted or not: 131 tiles of 96 x 128 are one round, 98 of 128 x 128 are a longer one.
GpuTile soonest(const TileRequest &request, GpuTile kind, llvm::ArrayRef<MeasuredTile> measured) {
  GpuTile best;
  double least = std::numeric_limits<double>::infinity();
  for (const MeasuredTile &candidate : measured) {
    const GpuTile tile = tileOf(candidate, kind);
    const int64_t tiles = request.blocks * llvm::divideCeil(request.rows, tile.tileRows()) *
                          llvm::divideCeil(request.columns, tile.tileColumns());
    const double takes = double(llvm::divideCeil(tiles, kUnits * candidate.perUnit)) * candidate.nanoseconds;
    if (takes < least) {
      least = takes;
      best = tile;
    }
  }
  return best;
}

std::optional<GpuTile> sharedTile(const TileRequest &request) {
  if (request.depthwise || request.rows < 16 || request.columns < 16 || request.depth < 8 || request.bytes > 4)
    return std::nullopt;
  // Found on 1024 x 1024, 4096 x 4096 and the 3x3 layers of ResNet-50 at batch 1 and 16. Where tiles are small, sets of
  // invocations share each of them: a unit needs eight groups of 32 to be busy.
  static constexpr MeasuredTile longReductions[] = {
      {104.0, 1, 8, 2, 16, 16, 16},  // 128 x 128
      {81.0, 1, 6, 2, 16, 16, 16},   // 96 x 128
      {56.5, 2, 8, 1, 16, 8, 16},    // 64 x 64
      {45.5, 1, 6, 2, 8, 16, 16, 2}, // 96 x 64
      {20.0, 1, 4, 1, 8, 12, 32, 4}, // 48 x 32
      {12.3, 1, 4, 1, 8, 8, 32, 4},  // 32 x 32
      {8.9, 1, 4, 1, 8, 4, 32, 4},   // 16 x 32
  };
  // Too short to be shared.
  static constexpr MeasuredTile shortReductions[] = {
      {104.0, 1, 8, 2, 16, 16, 16}, {81.0, 1, 6, 2, 16, 16, 16}, {56.5, 2, 8, 1, 16, 8, 16},
      {46.5, 1, 6, 1, 16, 16, 16},  {15.0, 1, 4, 1, 8, 8, 16}, // 32 x 32
  };
  constexpr int64_t leastOfLong = 128;
  GpuTile tile;
  tile.kind = GpuTile::Kind::Shared;
  tile.families = kWithFastSharedMemory;
  return request.depth < leastOfLong ? soonest(request, tile, shortReductions) : soonest(request, tile, longReductions);
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
  // The same, of operands in f16. One buffer: a second one would leave no room for another workgroup.
  static constexpr MeasuredTile measured[] = {
      {31.6, 2, 4, 4, 2, 2, 32}, // 128 x 128
      {15.6, 1, 3, 2, 4, 2, 64}, // 96 x 128
      {12.8, 1, 4, 2, 2, 2, 64}, // 128 x 64
      {8.9, 1, 3, 2, 2, 2, 64},  // 96 x 64
      {5.6, 1, 1, 1, 2, 2, 64},  // 32 x 32
  };
  GpuTile tile;
  tile.kind = GpuTile::Kind::Cooperative;
  tile.buffers = 1;
  return soonest(request, tile, measured);
}

} // namespace

//===----------------------------------------------------------------------===//
// Tiles to be tried
//===----------------------------------------------------------------------===//

const char *faultOf(const GpuTile &tile) {
  for (int64_t number : {tile.rows, tile.quads, tile.columnThreads, tile.rowThreads, tile.depth, tile.parts,
                         tile.buffers, tile.ahead, tile.band})
    if (number < 1 || number > 1024)
      return "every number must be from 1 to 1024";
  if (tile.invocations() > 1024)
    return "there must be at most 1024 invocations";
  switch (tile.kind) {
  case GpuTile::Kind::Shared:
    if (tile.columnThreads % 8 != 0 || tile.rowThreads % 4 != 0)
      return "invocations must stand in groups of 8 by 4";
    if (tile.depth % (4 * tile.parts) != 0)
      return "parts must share fours of the depth evenly";
    return nullptr;
  case GpuTile::Kind::Cooperative:
    if (tile.depth % kMatrixSize != 0)
      return "the depth must be whole matrices";
    if (tile.buffers > 2)
      return "there are at most two buffers";
    if (tile.invocations() / kSubgroup * kMatrixSize * 4 >
        tile.buffers * tile.tileRows() * (tile.depth / 8 + kMatrixPadChunks))
      return "the left operand must take at least as much memory as a matrix of each subgroup";
    return nullptr;
  default:
    return nullptr;
  }
}

llvm::Expected<GpuTile> parseGpuTile(llvm::StringRef text) {
  auto fail = [&](const llvm::Twine &why) { return llvm::createStringError("'" + text + "': " + why); };
  GpuTile tile;
  auto [kind, rest] = text.split(':');
  if (kind == "shared")
    tile.kind = GpuTile::Kind::Shared;
  else if (kind == "cooperative")
    tile.kind = GpuTile::Kind::Cooperative;
  else
    return fail("a tile must be shared or cooperative");
  const std::pair<llvm::StringRef, int64_t GpuTile::*> fields[] = {
      {"rows", &GpuTile::rows},        {"quads", &GpuTile::quads}, {"columns", &GpuTile::columnThreads},
      {"lines", &GpuTile::rowThreads}, {"depth", &GpuTile::depth}, {"parts", &GpuTile::parts},
      {"buffers", &GpuTile::buffers},  {"ahead", &GpuTile::ahead}, {"band", &GpuTile::band},
  };
  llvm::SmallVector<llvm::StringRef, 8> items;
  rest.split(items, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef item : items) {
    const std::pair<llvm::StringRef, llvm::StringRef> named = item.split('=');
    const auto *field = llvm::find_if(fields, [&](const auto &entry) { return entry.first == named.first; });
    if (field == std::end(fields) || named.second.getAsInteger(10, tile.*(field->second)))
      return fail("'" + item + "' must be a field and its number, as rows=8");
  }
  if (const char *fault = faultOf(tile))
    return fail(fault);
  return tile;
}

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
