// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the prefetches of a tile: for its epilogue, for later steps and for later tiles.
// Why:   a core that waits for memory does not multiply, and hardware does not predict these accesses.
// How:   prefetches are emitted between the products, one for each line.

#ifndef NACRE_CODEGEN_CPU_TILES_TILEPREFETCH_H
#define NACRE_CODEGEN_CPU_TILES_TILEPREFETCH_H

#include "codegen/cpu/tiles/MicroTile.h"

namespace nacre::codegen::cpu {

class TilePrefetch {
public:
  /// Prepares the prefetches of the tile that `emitTile` computes.
  TilePrefetch(VectorBuilder &build, const LoopedContraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
               const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at)
      : build(build), contraction(contraction), buffers(buffers), panel(panel), part(part), shape(shape), at(at) {}

  /// Prefetches the lines that the epilogue and the stores of the tile access. Each is in another row, so that hardware
  /// does not predict it. The lines arrive during the reduction.
  void end();

  /// Prefetches the columns of later steps into the second-level cache, if a single row reads a large weight from
  /// memory. This continues into the next panel, which follows in memory. If columns are decoded, the hardware
  /// prefetcher is fast enough, and nothing is emitted.
  void panelFrom(mlir::Value rhs, int64_t steps);

  /// Prefetches the columns of `steps` steps that later tiles read into the second-level cache. The first of these
  /// tiles then does not wait.
  void ahead(mlir::Value from, int64_t steps);

private:
  mlir::Type columnType() const;
  /// Prefetches `count` elements of the panel, from index `first` after `from` on, into the second-level cache.
  void ask(mlir::Value from, int64_t first, int64_t count);

  VectorBuilder &build;
  const LoopedContraction &contraction;
  llvm::ArrayRef<mlir::Value> buffers;
  const Panel &panel;
  const DepthPart &part;
  const TileShape &shape;
  const Addresses &at;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_TILEPREFETCH_H
