// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/ShortProducts.h"

#include "llvm/Support/MathExtras.h"

namespace nacre::codegen::gpu {
namespace {

constexpr GpuTile::Shared sharedOf(int64_t rows, int64_t quads, int64_t rowThreads, int64_t depth, int64_t parts,
                                   int64_t unroll, int64_t ahead) {
  return sharedTile(rows, quads, /*columnThreads=*/8, rowThreads, depth, parts, unroll, ahead);
}

// The comments state times in microseconds on an H200 with cold caches, and in parentheses the times of the list's
// tile.

/// Tile of 64 x 64, one workgroup per unit. 128 x 4096 x 512, read transposed: 27 (40).
constexpr GpuTile::Shared kAlone = sharedOf(8, 2, 8, 32, 4, 1, 2);
/// Tile of 64 x 64, two workgroups per unit. 16 times 128 x 512 x 256: 22 (27).
constexpr GpuTile::Shared kInPairs = sharedOf(4, 2, 16, 16, 2, 2, 1);
/// Tile of 64 x 64, four workgroups per unit. 4096 x 512 x 128 with the update of the weight: 29 (37).
constexpr GpuTile::Shared kOfFewSteps = sharedOf(4, 2, 16, 8, 1, 2, 1);
/// Tile of 32 x 32. 512 x 512 x 128: 9 (12).
constexpr GpuTile::Shared kSmallOfFewSteps = sharedOf(4, 1, 8, 32, 4, 1, 1);

constexpr int64_t kRows = kAlone.tileRows(), kColumns = kAlone.tileColumns();

/// Returns `tile`. Returns null if the depth is not a multiple of its part, because each step would then need a bounds
/// check.
const GpuTile::Shared *ifFilled(const TileRequest &request, const GpuTile::Shared &tile) {
  return request.depth % tile.depth == 0 ? &tile : nullptr;
}

} // namespace

const GpuTile::Shared *tileOfShortProduct(const TileRequest &request, const GpuTile &tile, const GpuMachine &machine) {
  constexpr int64_t fewSteps = 256;
  if (request.taps > 0 || request.rows < kRows || request.columns < kColumns)
    return nullptr;
  const int64_t workgroups =
      request.blocks * llvm::divideCeil(request.rows, kRows) * llvm::divideCeil(request.columns, kColumns);
  // The gradient of a dense layer's weight has one step for each example of the batch.
  if (request.turnsLeft && request.blocks == 1 && request.depth <= fewSteps)
    return ifFilled(request, workgroups > machine.units ? kOfFewSteps : kSmallOfFewSteps);
  if (!tile.is<GpuTile::Shared>() || tile.tileRows() != kRows || tile.tileColumns() != kColumns)
    return nullptr;
  if (workgroups <= machine.units)
    return request.depth >= fewSteps ? ifFilled(request, kAlone) : nullptr;
  // This tile is for parts of a sum. An undivided product with as many workgroups has more steps, so the list's tile is
  // faster.
  return request.blocks > 1 && workgroups <= 2 * machine.units ? ifFilled(request, kInPairs) : nullptr;
}

} // namespace nacre::codegen::gpu
