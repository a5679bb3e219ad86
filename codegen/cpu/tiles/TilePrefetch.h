// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the lines that a tile prefetches: those of its own end, and those of later steps and later tiles.
// Why:   a core that waits for memory does not multiply, and hardware cannot foresee these accesses.
// How:   prefetches are emitted between the products, one for each line.

#ifndef NACRE_CODEGEN_CPU_TILES_TILEPREFETCH_H
#define NACRE_CODEGEN_CPU_TILES_TILEPREFETCH_H

#include "codegen/cpu/tiles/MicroTile.h"

namespace nacre::codegen::cpu {

class TilePrefetch {
public:
  /// Prefetches for the tile that `emitTile` computes.
  TilePrefetch(VectorBuilder &build, const LoopedContraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
               const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at)
      : build(build), contraction(contraction), buffers(buffers), panel(panel), part(part), shape(shape), at(at) {}

  /// Prefetches the lines that the tile's end reads and writes. Each is in another row, so that no hardware foresees
  /// them. They arrive during the reduction.
  void end();

  /// Prefetches the elements that later steps read of a weight, into the second-level cache. This is for weights that
  /// come from memory and are read once; the next panel follows a panel's end. While columns are widened, the hardware
  /// keeps up by itself.
  void panelFrom(mlir::Value rhs, int64_t steps);

  /// Prefetches the elements that later tiles read into the second-level cache, so that the first of these tiles does
  /// not wait.
  void ahead(mlir::Value from, int64_t steps);

private:
  mlir::Type columnType() const;
  /// Prefetches `count` elements of the panel into the second-level cache.
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
