// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a tile asks for before it is read: its own end's lines, and those of later steps and later tiles.
// Why:   a core that waits for memory does not multiply; what no hardware foresees has to be said.
// How:   beside the products, line by line.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_TILEPREFETCH_H
#define NACRE_CODEGEN_CPU_CONTRACTION_TILEPREFETCH_H

#include "codegen/cpu/contraction/MicroTile.h"

namespace nacre::codegen::cpu {

class TilePrefetch {
public:
  /// Of the tile that `emitTile` is given.
  TilePrefetch(VectorBuilder &build, const LoopedContraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
               const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at)
      : build(build), contraction(contraction), buffers(buffers), panel(panel), part(part), shape(shape), at(at) {}

  /// Asks for the lines that the tile's end reads and writes. They lie far apart, in another row each, so that no
  /// hardware foresees them, and arrive during the reduction.
  void end();

  /// Asks for what later steps read of a weight that comes from memory and is read once, into the second-level cache; behind
  /// a panel's end lies the next one. While columns are widened the hardware keeps up by itself.
  void panelFrom(mlir::Value rhs, int64_t steps);

  /// Asks for what tiles to come read: the second-level cache has it by then, where the first of them would wait.
  void ahead(mlir::Value from, int64_t steps);

private:
  mlir::Type columnType() const;
  /// Into the second-level cache, `count` elements of the panel.
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

#endif // NACRE_CODEGEN_CPU_CONTRACTION_TILEPREFETCH_H
