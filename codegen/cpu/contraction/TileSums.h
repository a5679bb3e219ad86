// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the sums of a tile where they wait in memory, between parts of the reduction or blocks of its steps.
// Why:   how a tile goes there and back is its own matter, whatever is multiplied.
// How:   where one instruction loads or stores several vectors of a row, each row has a pointer of its own: from another row's
//        it would be too far.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_TILESUMS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_TILESUMS_H

#include "codegen/cpu/contraction/MicroTile.h"

namespace nacre::codegen::cpu {

class TileSums {
public:
  /// Registers of sums of `type`, `vectors` of them in each group of rows, of which the last has `lastLanes`, where `part` says; none
  /// where it says nothing.
  TileSums(VectorBuilder &build, const DepthPart &part, const TileShape &shape, int64_t vectors, unsigned lastLanes,
           mlir::Type type);

  llvm::SmallVector<mlir::Value> load();
  /// These and what waits, together.
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
  llvm::SmallVector<mlir::Value> pointers; ///< Of groups of rows; none where addresses do.
};

/// Returns the sums of each row separately, column by column, for an instruction that multiplies two rows, or has two sums of each
/// column. A register holds as many sums as before.
llvm::SmallVector<mlir::Value> sumsByRow(VectorBuilder &build, const TileShape &shape, llvm::ArrayRef<mlir::Value> sums,
                                         int64_t vectors);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_TILESUMS_H
