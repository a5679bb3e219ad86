// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/TileTables.h"

#include "runtime/include/nacre/model_format.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace nacre::codegen::gpu {

int64_t GpuTile::tileRows() const { return (kind == Kind::Cooperative ? kMatrixSize : 1) * rows * rowThreads; }

int64_t GpuTile::tileColumns() const { return (kind == Kind::Cooperative ? kMatrixSize : 4) * quads * columnThreads; }

int64_t GpuTile::invocations() const {
  const int64_t each = kind == Kind::Cooperative ? kSubgroup * parts : kind == Kind::Split ? depth : parts;
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
  int64_t perUnit;
  GpuTile tile;
};
constexpr int64_t kUnits = 132; ///< It has so many.

/// What all kinds have; the rest of a tile is its kind's.
constexpr GpuTile tileOf(GpuTile::Kind kind, int64_t rows, int64_t quads, int64_t columnThreads, int64_t rowThreads,
                         int64_t depth, int64_t parts) {
  GpuTile tile;
  tile.kind = kind;
  tile.rows = rows;
  tile.quads = quads;
  tile.columnThreads = columnThreads;
  tile.rowThreads = rowThreads;
  tile.depth = depth;
  tile.parts = parts;
  return tile;
}

constexpr GpuTile sharedOf(int64_t rows, int64_t quads, int64_t columnThreads, int64_t rowThreads, int64_t depth,
                           int64_t parts = 1, int64_t unroll = 1) {
  GpuTile tile = tileOf(GpuTile::Kind::Shared, rows, quads, columnThreads, rowThreads, depth, parts);
  tile.families = kWithFastSharedMemory;
  tile.unroll = unroll;
  return tile;
}

constexpr GpuTile cooperativeOf(int64_t rows, int64_t quads, int64_t columns, int64_t lines, int64_t depth,
                                int64_t parts = 1) {
  GpuTile tile = tileOf(GpuTile::Kind::Cooperative, rows, quads, columns, lines, depth, parts);
  tile.buffers = 1;
  return tile;
}

/// There is no room for two buffers of more steps, and so few want loads that are three parts ahead.
constexpr GpuTile widestCooperative() {
  GpuTile tile = cooperativeOf(4, 4, 4, 2, 16);
  tile.buffers = 2;
  tile.ahead = 3;
  tile.band = 8;
  return tile;
}

/// The tile that computes the request soonest. What counts is how many rounds of workgroups the units take, each as
/// long as the work in it, wanted or not: 131 tiles of 96 x 128 are one round, 98 of 128 x 128 are a longer one.
GpuTile soonest(const TileRequest &request, llvm::ArrayRef<MeasuredTile> measured) {
  constexpr double tail = 1.3; // A part that the reduction does not fill asks of every step whether there is one.
  const MeasuredTile *best = nullptr;
  double least = 0;
  for (const MeasuredTile &candidate : measured) {
    const GpuTile &tile = candidate.tile;
    const int64_t tiles = request.blocks * llvm::divideCeil(request.rows, tile.tileRows()) *
                          llvm::divideCeil(request.columns, tile.tileColumns());
    const double takes = double(llvm::divideCeil(tiles, kUnits * candidate.perUnit)) * candidate.nanoseconds *
                         double(llvm::alignTo(request.depth, tile.depth)) *
                         (request.depth % tile.depth == 0 ? 1 : tail);
    if (!best || takes < least) {
      least = takes;
      best = &candidate;
    }
  }
  return best->tile;
}

// All were found on 1024 x 1024, 4096 x 4096 and the layers of ResNet-50 at batch 1, those of 3x3 at batch 16 too.

/// Where tiles are small, sets of invocations share each: a unit needs eight groups of 32 to be busy.
constexpr MeasuredTile kSharedTiles[] = {
    {188.0, 2, sharedOf(8, 4, 8, 16, 8, 1, 2)},  // 128 x 128
    {148.0, 3, sharedOf(8, 2, 8, 16, 8, 1, 2)},  // 128 x 64
    {74.9, 1, sharedOf(6, 2, 16, 16, 16, 1, 2)}, // 96 x 128
    {40.7, 1, sharedOf(6, 2, 8, 16, 16, 2, 2)},  // 96 x 64
    {27.2, 1, sharedOf(8, 2, 8, 8, 16, 2, 2)},   // 64 x 64
    {16.4, 1, sharedOf(8, 1, 8, 8, 32, 4, 2)},   // 64 x 32
    {13.4, 1, sharedOf(6, 1, 8, 8, 64, 4)},      // 48 x 32
    {9.5, 1, sharedOf(4, 1, 8, 8, 64, 4)},       // 32 x 32
    {6.0, 1, sharedOf(4, 1, 8, 4, 64, 8)},       // 16 x 32
    {4.3, 1, sharedOf(2, 1, 8, 4, 128, 8)},      // 8 x 32
};

/// For reductions too short to be shared.
constexpr MeasuredTile kSharedTilesOfFewSteps[] = {
    {102.0, 1, sharedOf(8, 2, 16, 16, 16)},    {81.0, 1, sharedOf(6, 2, 16, 16, 16)},
    {56.5, 2, sharedOf(8, 1, 16, 8, 16)},      {46.5, 1, sharedOf(6, 1, 16, 16, 16)},
    {13.5, 1, sharedOf(4, 1, 8, 8, 16, 1, 2)},
};

/// Of operands in f16. Deep parts read whole lines of the caches.
constexpr MeasuredTile kCooperativeTiles[] = {
    {28.0, 1, widestCooperative()},              // 128 x 256
    {13.5, 1, cooperativeOf(3, 4, 2, 2, 64)},    // 96 x 128
    {10.9, 1, cooperativeOf(2, 2, 4, 2, 64)},    // 64 x 128
    {7.4, 1, cooperativeOf(3, 4, 1, 2, 128, 2)}, // 96 x 64
    {8.3, 1, cooperativeOf(3, 2, 2, 2, 64)},     // the same, for reductions that are no multiple of 128
    {5.0, 1, cooperativeOf(1, 2, 2, 2, 96)},     // 32 x 64
    {6.1, 1, cooperativeOf(1, 2, 2, 2, 64)},     // the same
    {4.0, 1, cooperativeOf(1, 1, 2, 2, 128)},    // 32 x 32
    {5.0, 1, cooperativeOf(1, 1, 2, 2, 64)},     // the same
    {2.8, 1, cooperativeOf(1, 2, 1, 1, 256, 8)}, // 16 x 32
    {2.1, 1, cooperativeOf(1, 1, 1, 1, 256, 8)}, // 16 x 16
};

std::optional<GpuTile> sharedTile(const TileRequest &request) {
  if (request.depthwise || request.rows < 16 || request.columns < 16 || request.depth < 8 || request.bytes > 4)
    return std::nullopt;
  constexpr int64_t fewSteps = 128;
  if (request.depth < fewSteps)
    return soonest(request, kSharedTilesOfFewSteps);
  return soonest(request, kSharedTiles);
}

/// CPUs that play a GPU load one element of one lane after the other, each under its own mask, but multiply all lanes
/// at once: as many products for each load as an invocation's stack has room for. Measured on lavapipe with shaders
/// written by hand for these tiles, 512 x 512 x 512, in GFLOP/s of one core: 8 x 4 per invocation 4.0, 8 x 16 10.6, 16
/// x 16 11.7, 32 x 16 13 at twice the time to compile.
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

/// Products of few rows: invocations divide the reduction until there are enough of them. Large workgroups of few
/// columns keep a desktop GPU's memory busy: weights of 8 MB in 4.6 us on an H200, where the smaller ones take 13.7.
void pushSplitTiles(const TileRequest &request, llvm::SmallVectorImpl<GpuTile> &tiles) {
  constexpr int64_t mostRows = 4, leastDepth = 64, wanted = 16384;
  const int64_t quads = llvm::divideCeil(request.columns, 4);
  if (request.depthwise || request.rows > mostRows || request.depth < leastDepth || request.blocks * quads >= wanted)
    return;
  auto push = [&](int64_t columnThreads, int64_t invocations, uint32_t families) {
    columnThreads = std::min<int64_t>(columnThreads, llvm::PowerOf2Ceil(quads));
    tiles.push_back(tileOf(GpuTile::Kind::Split, request.rows, 1, columnThreads, 1, invocations / columnThreads, 1));
    tiles.back().families = families;
  };
  push(4, 512, kWithFastSharedMemory);
  push(8, 128, 0);
}

std::optional<GpuTile> cooperativeTile(const TileRequest &request) {
  if (!request.halves || request.depthwise || request.rows < 16 || request.columns < 16 || request.depth < 16)
    return std::nullopt;
  return soonest(request, kCooperativeTiles);
}

} // namespace

//===----------------------------------------------------------------------===//
// Tiles to be tried
//===----------------------------------------------------------------------===//

const char *faultOf(const GpuTile &tile) {
  for (int64_t number : {tile.rows, tile.quads, tile.columnThreads, tile.rowThreads, tile.depth, tile.parts,
                         tile.buffers, tile.ahead, tile.band, tile.unroll})
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
    if (tile.unroll > 2)
      return "at most two parts of the reduction can be a turn";
    return nullptr;
  case GpuTile::Kind::Cooperative:
    if (tile.depth % (kMatrixSize * tile.parts) != 0)
      return "parts must share whole matrices of the depth evenly";
    if (tile.buffers > 2 || (tile.buffers == 1 && tile.ahead > 1))
      return "there are at most two buffers, and loads are further ahead only of two";
    if (tile.invocations() / kSubgroup * kMatrixSize * 4 >
        tile.buffers * std::max(tile.tileRows() * (tile.depth / 8 + kMatrixPadChunks),
                                tile.depth * (tile.tileColumns() / 8 + kMatrixPadChunks)))
      return "an operand must take at least as much memory as a matrix of each subgroup";
    return nullptr;
  case GpuTile::Kind::Split:
    if (tile.quads != 1 || tile.rowThreads != 1 || tile.rows > tile.depth)
      return "an invocation must have one quad, a workgroup one row of them, and each row a part that finishes it";
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
  else if (kind == "split")
    tile.kind = GpuTile::Kind::Split;
  else
    return fail("a tile must be shared, cooperative or split");
  const std::pair<llvm::StringRef, int64_t GpuTile::*> fields[] = {
      {"rows", &GpuTile::rows},        {"quads", &GpuTile::quads}, {"columns", &GpuTile::columnThreads},
      {"lines", &GpuTile::rowThreads}, {"depth", &GpuTile::depth}, {"parts", &GpuTile::parts},
      {"buffers", &GpuTile::buffers},  {"ahead", &GpuTile::ahead}, {"band", &GpuTile::band},
      {"unroll", &GpuTile::unroll},
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
  pushSplitTiles(request, tiles);
  if (tiles.empty() || tiles.back().kind != GpuTile::Kind::Split)
    tiles.push_back(directTile(request));
  return tiles;
}

} // namespace nacre::codegen::gpu
