// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/TileTables.h"

#include "codegen/form/WinogradPlan.h"
#include "codegen/gpu/contraction/PhoneTiles.h"
#include "codegen/gpu/contraction/ShortProducts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>
#include <optional>

namespace nacre::codegen::gpu {
namespace {

//===----------------------------------------------------------------------===//
// Tiles through shared memory
//===----------------------------------------------------------------------===//

/// Returns the time in nanoseconds that windows need for each step of the reduction. Their elements are loaded from a
/// cache, multiplied and added. A part also waits for the latency of its loads.
double windowsOf(const TileRequest &request, const GpuMachine &machine, const GpuTile &tile) {
  if (request.taps == 0)
    return 0;
  const double elements = double(request.taps * tile.tileRows()), bytes = request.halves ? 2 : 4;
  return (elements * (1 / machine.lanes + bytes / kUnitCacheBytes) + machine.latency / double(tile.staging()->depth)) /
         machine.gigahertz;
}

/// Returns a machine's time for the request. It is proportional to the rounds of workgroups on the units. Each round
/// takes the time of a whole tile. For 132 units, 131 tiles of 96 x 128 are one round; 98 tiles of 128 x 128 are a
/// longer round.
double timeOf(const TileRequest &request, const GpuMachine &machine, TileList list, size_t index) {
  constexpr double tail = 1.3; // If the last part is not full, each step needs a bounds check.
  const GpuTile &tile = tilesOf(list)[index];
  const int64_t depth = tile.staging()->depth;
  if (request.taps > 0 && tile.staging()->ahead > 1) // Such tiles have no registers left for windows.
    return std::numeric_limits<double>::infinity();
  const StepTime step = stepTimeOf(machine, list, index);
  return double(llvm::divideCeil(countTiles(request, tile), machine.units * step.perUnit)) *
         (step.nanoseconds + windowsOf(request, machine, tile)) * double(llvm::alignTo(request.depth, depth)) *
         (request.depth % depth == 0 ? 1 : tail);
}

/// Returns the index of the fastest tile for the request. If several are equal, returns the first.
size_t soonest(const TileRequest &request, const GpuMachine &machine, TileList list) {
  size_t best = 0;
  for (size_t index = 1; index < tilesOf(list).size(); ++index)
    if (timeOf(request, machine, list, index) < timeOf(request, machine, list, best))
      best = index;
  return best;
}

/// The Winograd blocks that compute a request. `steps` is the number of steps of each block: channels of a convolution,
/// or tiles of pixels of a filter's gradient.
struct WinogradBlocks {
  GpuTile tile;
  int64_t count, steps;
};

std::optional<WinogradBlocks> blocksOf(const TileRequest &request) {
  if (request.halves || request.taps > 0)
    return std::nullopt;
  const int64_t across = llvm::divideCeil(request.columns, winogradBlock().tileColumns());
  if (const std::optional<WinogradShape> &shape = request.winograd; shape && shape->inputs % winogradBlock().depth == 0)
    return WinogradBlocks{{winogradBlock()}, countWinogradTiles(*shape, winogradBlock()) * across, shape->inputs};
  if (const std::optional<WinogradShape> &shape = request.gradient;
      shape && dividesGradient(*shape, winogradGradient()))
    return WinogradBlocks{{winogradGradient()},
                          request.blocks * int64_t(llvm::divideCeil(request.rows, winogradGradient().tileRows())) *
                              across,
                          WinogradPlan(*shape, winogradGradient().outputs).tiles()};
  return std::nullopt;
}

/// Returns a bit mask of the families that are faster with these blocks than with any tile of the list.
uint32_t familiesOf(const WinogradBlocks &blocks, const TileRequest &request, TileList list) {
  constexpr double worthIt = 0.95;
  uint32_t families = 0;
  for (const GpuMachine &machine : gpuMachines()) {
    const WinogradTime &time = blocks.tile.is<GpuTile::WinogradGradient>() ? machine.gradient : machine.convolution;
    const double nanoseconds =
        double(llvm::divideCeil(blocks.count, machine.units)) * (time.step * double(blocks.steps) + time.ends);
    if (time.step > 0 && nanoseconds < worthIt * timeOf(request, machine, list, soonest(request, machine, list)))
      families |= maskOf(machine.family);
  }
  return families;
}

/// Appends the fastest tile for each machine. Reuses the tile of another family if a separate tile would save less than
/// the error of an estimate. Families in `others` already have a variant.
void pushSoonest(const TileRequest &request, TileList list, llvm::SmallVectorImpl<GpuTile> &tiles,
                 uint32_t others = 0) {
  constexpr double worthAVariant = 2;
  llvm::SmallVector<size_t, 4> chosen;
  const size_t before = tiles.size();
  for (const GpuMachine &machine : gpuMachines()) {
    const bool hasMatrices = request.words ? machine.multipliesBytes : machine.matrixLanes > 0;
    if ((list == TileList::Cooperative && !hasMatrices) || (others & maskOf(machine.family)) != 0)
      continue;
    const size_t own = soonest(request, machine, list);
    auto *shared = llvm::min_element(chosen, [&](size_t a, size_t b) {
      return timeOf(request, machine, list, a) < timeOf(request, machine, list, b);
    });
    if (shared == chosen.end() ||
        timeOf(request, machine, list, *shared) > worthAVariant * timeOf(request, machine, list, own)) {
      chosen.push_back(own);
      tiles.push_back(tilesOf(list)[own]);
      shared = std::prev(chosen.end());
    }
    tiles[before + size_t(shared - chosen.begin())].families |= maskOf(machine.family);
  }
}

/// Reduces the depth of a tile to the whole matrices that a reduction needs, if the reduction has only one part. More
/// steps would be wasted. For example, a first layer with 3 x 3 windows of 3 channels has 27 steps.
void trim(GpuTile &tile, int64_t depth) {
  auto &matrices = *tile.as<GpuTile::Cooperative>();
  const int64_t step = kMatrixSize * matrices.parts, whole = matrices.depth;
  if (matrices.buffers > 1)
    return;
  for (matrices.depth = llvm::alignTo(depth, step); matrices.depth < whole; matrices.depth += step)
    if (!faultOf(tile))
      return;
  matrices.depth = whole;
}

void pushCooperativeTiles(TileRequest request, llvm::SmallVectorImpl<GpuTile> &tiles) {
  if (request.words) // A step of f16 takes as many bytes, and as much time, as two steps of bytes.
    request.depth *= 2;
  const bool hasMatrices = request.halves || request.words;
  if (!hasMatrices || request.depthwise || request.rows < 16 || request.columns < 16 || request.depth < 16)
    return;
  const size_t before = tiles.size();
  pushSoonest(request, TileList::Cooperative, tiles);
  for (GpuTile &tile : llvm::drop_begin(tiles, before))
    trim(tile, request.depth);
}

void pushSharedTiles(const TileRequest &request, llvm::SmallVectorImpl<GpuTile> &tiles) {
  constexpr int64_t fewSteps = 128, narrow = 8, fewQuads = 4096, manySteps = 64;
  // A tile for few columns has few products. But a GPU is mostly idle, too, if each invocation adds up a long sum of
  // four columns.
  const bool isShort = request.columns >= narrow && request.depth >= manySteps &&
                       request.blocks * request.rows * llvm::divideCeil(request.columns, 4) <= fewQuads;
  const bool isWorthIt = request.rows >= 16 && (request.columns >= 16 || isShort) && request.depth >= 8;
  if (request.depthwise || (!isWorthIt && request.taps == 0) || request.bytes > 4)
    return;
  const TileList list = request.depth < fewSteps && request.taps == 0 ? TileList::SharedOfFewSteps : TileList::Shared;
  uint32_t byBlocks = 0;
  if (const std::optional<WinogradBlocks> blocks = blocksOf(request)) {
    byBlocks = familiesOf(*blocks, request, list);
    if (byBlocks != 0) {
      tiles.push_back(blocks->tile);
      tiles.back().families = byBlocks;
    }
  }
  const size_t first = tiles.size();
  pushSoonest(request, list, tiles, byBlocks);
  const GpuMachine &measured = gpuMachines().front();
  if (tiles.size() == first || (tiles[first].families & maskOf(measured.family)) == 0)
    return;
  if (const GpuTile::Shared *sooner = tileOfShortProduct(request, tiles[first], measured))
    tiles[first] = {*sooner, /*band=*/1, tiles[first].families};
}

//===----------------------------------------------------------------------===//
// Tiles without shared memory, and tiles for few rows
//===----------------------------------------------------------------------===//

/// Returns a tile without shared memory. Adjacent invocations read adjacent columns, up to the number of columns.
GpuTile::Direct directTile(const TileRequest &request) {
  GpuTile::Direct tile;
  const int64_t quads = llvm::divideCeil(request.columns, 4);
  tile.columnThreads = std::min<int64_t>(16, llvm::PowerOf2Ceil(quads));
  tile.rowThreads = 64 / tile.columnThreads;
  // Reduce the rows per invocation if there are too few invocations to fill a phone's GPU.
  constexpr int64_t wanted = 4096;
  for (tile.rows = request.depthwise ? 4 : 8; tile.rows > 1; tile.rows /= 2)
    if (request.blocks * quads * llvm::divideCeil(request.rows, tile.rows) >= wanted)
      break;
  tile.rows = std::min<int64_t>(tile.rows, llvm::PowerOf2Ceil(request.rows));
  while (tile.rowThreads > 1 && tile.rows * tile.rowThreads >= 2 * request.rows)
    tile.rowThreads /= 2;
  return tile;
}

//===----------------------------------------------------------------------===//
// Tiles for CPUs that emulate a GPU
//===----------------------------------------------------------------------===//

/// Returns a tile for CPUs that emulate GPUs. They load the lanes of an element one by one, each under a mask, but
/// multiply all lanes together. So a tile has as many products per load as an invocation's stack allows.
///
/// Measured on lavapipe with hand-written shaders of these tiles, for 512 x 512 x 512, in GFLOP/s of one core: 8 x 4
/// sums per invocation reach 4.0, 8 x 16 reach 10.6, and 16 x 16 reach 11.7. 32 x 16 reach 13, but take twice as long
/// to compile.
std::optional<GpuTile> tallTile(const TileRequest &request) {
  constexpr int64_t leastDepth = 16, leastTiles = 4;
  GpuTile::Direct tile;
  tile.columnThreads = 4;
  tile.rowThreads = 2;
  for (tile.quads = 4; tile.quads > 1 && 4 * tile.quads * tile.columnThreads > request.columns; tile.quads /= 2)
    ;
  for (tile.rows = 16; tile.rows > 1 && tile.tileRows() > request.rows; tile.rows /= 2)
    ;
  if (!request.mayBePlayed || request.depthwise || request.depth < leastDepth || tile.rows * tile.quads <= 8 ||
      countTiles(request, {tile}) < leastTiles)
    return std::nullopt;
  return GpuTile{tile, /*band=*/1, maskOf(NACRE_GPU_CPU)};
}

/// Returns a tile that fits into the shared memory of any device. Its windows are added up once for all its columns, so
/// it has up to 128 columns. An invocation has 24 to 32 sums.
GpuTile windowTile(const TileRequest &request) {
  constexpr int64_t threads = 8, few = 2;
  const int64_t quads = std::clamp<int64_t>(llvm::divideCeil(request.columns, 4 * threads), 1, 4);
  return {sharedTile(quads <= few ? 4 : 2, quads, threads, threads, quads <= few ? 16 : 8)};
}

uint32_t familiesWithSharedMemory() {
  uint32_t families = 0;
  for (const GpuMachine &machine : gpuMachines())
    families |= maskOf(machine.family);
  return families;
}

/// Appends tiles for products of few rows. Invocations divide the reduction until there are enough of them. Large
/// workgroups of few columns keep a desktop GPU's memory busy. On an H200, weights of 8 MB take 4.6 us, and 13.7 us
/// with small workgroups. AMD and Intel are assumed to behave alike. Six rows of 512 columns and 1,600 steps take 7 us,
/// and 100 us without such tiles.
void pushSplitTiles(const TileRequest &request, llvm::SmallVectorImpl<GpuTile> &tiles) {
  constexpr int64_t mostRows = 8, fewRows = 4, leastDepth = 64, wanted = 16384, leastInvocations = 64, leastSteps = 8;
  const int64_t quads = llvm::divideCeil(request.columns, 4);
  if (request.depthwise || request.rows > mostRows || request.depth < leastDepth || request.blocks * quads >= wanted)
    return;
  auto push = [&](int64_t columnThreads, int64_t invocations, uint32_t families) {
    columnThreads = std::min<int64_t>(columnThreads, llvm::PowerOf2Ceil(quads));
    // One invocation adds up the sums of all parts. If parts have few steps, this takes longer than the parts
    // themselves.
    while (invocations > leastInvocations && invocations / columnThreads * leastSteps > request.depth)
      invocations /= 2;
    tiles.push_back({GpuTile::Split{request.rows, columnThreads, invocations / columnThreads}, /*band=*/1, families});
  };
  // All invocations store their rows to shared memory, which limits their number.
  push(4, request.rows <= fewRows ? 512 : 256, familiesWithSharedMemory());
  push(8, 128, 0);
}

} // namespace

int64_t countTiles(const TileRequest &request, const GpuTile &tile) {
  return request.blocks * llvm::divideCeil(request.rows, tile.tileRows()) *
         llvm::divideCeil(request.columns, tile.tileColumns());
}

int64_t countWinogradTiles(const WinogradShape &shape, const GpuTile::Winograd &tile) {
  return llvm::divideCeil(WinogradPlan(shape, tile.outputs).tiles(), tile.tiles);
}

int64_t countWinogradTiles(const WinogradShape &shape, const GpuTile::WinogradBlock &tile) {
  return llvm::divideCeil(WinogradPlan(shape, tile.outputs).tiles(), tile.rows * tile.rowThreads);
}

bool dividesGradient(const WinogradShape &shape, const GpuTile::WinogradGradient &tile) {
  const WinogradPlan plan(shape, tile.outputs);
  return plan.isWhole() && shape.inputs % (tile.rows * tile.rowThreads) == 0 && plan.tiles() % tile.depth == 0;
}

llvm::SmallVector<GpuTile, 4> chooseGpuTiles(const TileRequest &request) {
  llvm::SmallVector<GpuTile, 4> tiles;
  pushCooperativeTiles(request, tiles);
  pushSharedTiles(request, tiles);
  if (request.taps > 0) {
    tiles.push_back(windowTile(request));
    return tiles;
  }
  pushPhoneTiles(request, {directTile(request)}, tiles);
  if (std::optional<GpuTile> tall = tallTile(request))
    tiles.push_back(*tall);
  pushSplitTiles(request, tiles);
  if (tiles.empty() || !tiles.back().is<GpuTile::Split>())
    tiles.push_back({directTile(request)});
  return tiles;
}

} // namespace nacre::codegen::gpu
