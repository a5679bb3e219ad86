// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests for tiles, and the tiles that a device takes of those chosen.

#ifndef NACRE_TEST_UNIT_CODEGEN_GPU_CONTRACTION_TILEREQUESTS_H
#define NACRE_TEST_UNIT_CODEGEN_GPU_CONTRACTION_TILEREQUESTS_H

#include "codegen/gpu/contraction/TileTables.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::codegen::gpu {

inline TileRequest matmul(int64_t rows, int64_t columns, int64_t depth) {
  TileRequest request;
  request.rows = rows;
  request.columns = columns;
  request.depth = depth;
  return request;
}

/// Returns the tiles that a device of the family may run, the best first.
inline llvm::SmallVector<GpuTile, 4> tilesFor(nacre_gpu_family family, const TileRequest &request) {
  llvm::SmallVector<GpuTile, 4> tiles;
  for (const GpuTile &tile : chooseGpuTiles(request))
    if (tile.families == 0 || tile.families >> family & 1)
      tiles.push_back(tile);
  return tiles;
}

} // namespace nacre::codegen::gpu

#endif // NACRE_TEST_UNIT_CODEGEN_GPU_CONTRACTION_TILEREQUESTS_H
