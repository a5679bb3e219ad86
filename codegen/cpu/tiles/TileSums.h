// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the sums of a tile in memory, between parts of the reduction or blocks of its steps.
// Why:   storing and loading sums does not depend on the instruction that multiplies.
// How:   if one instruction loads or stores several vectors of a row, each row has a pointer of its own. Another row's
//        pointer is out of its reach.

#ifndef NACRE_CODEGEN_CPU_TILES_TILESUMS_H
#define NACRE_CODEGEN_CPU_TILES_TILESUMS_H

#include "codegen/cpu/tiles/MicroTile.h"

namespace nacre::codegen::cpu {

class TileSums {
public:
  /// The tile has `vectors` registers of sums of `type` in each group of rows; the last has `lastLanes` lanes. `part`
  /// has their address in memory, if there is one.
  TileSums(VectorBuilder &build, const DepthPart &part, const TileShape &shape, int64_t vectors, unsigned lastLanes,
           mlir::Type type);

  llvm::SmallVector<mlir::Value> load();
  /// Returns the totals of `sums` and the sums in memory.
  llvm::SmallVector<mlir::Value> addedTo(llvm::ArrayRef<mlir::Value> sums);
  void store(llvm::ArrayRef<mlir::Value> sums);

private:
  int64_t count() const { return shape.machine.groupsOf(shape.rows) * vectors; }
  int64_t groupStride() const { return shape.machine.rowsOfStep * part.sumsStride; }
  Piece pieceOf(int64_t number) const;
  mlir::Value addressOf(int64_t number);
  mlir::Value pointerOf(int64_t number);

  VectorBuilder &build;
  const DepthPart &part;
  const TileShape &shape;
  const int64_t vectors;
  const unsigned lastLanes;
  const mlir::VectorType type;
  llvm::SmallVector<mlir::Value> pointers; ///< One for each group of rows; empty if addresses are used
};

/// Returns the sums of each row separately, column by column, for an instruction that multiplies two rows or has two
/// sums of each column. Each register holds as many sums as before.
llvm::SmallVector<mlir::Value> sumsByRow(VectorBuilder &build, const TileShape &shape, llvm::ArrayRef<mlir::Value> sums,
                                         int64_t vectors);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_TILESUMS_H
