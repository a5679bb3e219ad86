// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/TileTables.h"

#include "llvm/Support/MathExtras.h"

namespace nacre::codegen::gpu {

int64_t GpuTile::sharedBytes(unsigned elementBytes) const {
  switch (kind) {
  case Kind::Direct:
    return 0;
  case Kind::Shared:
    return 2 * 4 * elementBytes * (tileRows() * sharedRowQuads(depth) + depth * tileColumns() / 4);
  case Kind::Split:
    return invocations() * rows * quads * 4 * elementBytes;
  }
  return 0;
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

} // namespace

llvm::SmallVector<GpuTile, 4> chooseGpuTiles(const TileRequest &request) { return {directTile(request)}; }

} // namespace nacre::codegen::gpu
