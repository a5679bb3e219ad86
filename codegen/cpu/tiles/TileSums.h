// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loads and stores the sums of a tile between parts of the reduction, or between blocks of its steps.
// Why:   loads and stores of sums do not depend on the instruction that multiplies.
// How:   if one instruction loads or stores several vectors of a row, each row has its own pointer. Offsets of such
//        instructions do not reach another row.

#ifndef NACRE_CODEGEN_CPU_TILES_TILESUMS_H
#define NACRE_CODEGEN_CPU_TILES_TILESUMS_H

#include "codegen/cpu/tiles/MicroTile.h"

namespace nacre::codegen::cpu {

class TileSums {
public:
  /// The tile has `vectors` registers of sums of `type` in each group of rows. The last of them has `lastLanes` lanes.
  /// `part` has the address of the sums in memory, if they have one.
  TileSums(VectorBuilder &build, const DepthPart &part, const TileShape &shape, int64_t vectors, unsigned lastLanes,
           mlir::Type type);

  llvm::SmallVector<mlir::Value> load();
  mlir::Value load(int64_t number);
  /// Returns the total of a register in memory and of short sums, if these are not null.
  mlir::Value total(int64_t number, mlir::Value sums);
  /// Returns a register's sums in the type of the sums in memory, to which short sums are widened.
  mlir::Value widened(mlir::Value sum);
  /// Returns the totals of `sums` and the sums in memory.
  llvm::SmallVector<mlir::Value> addedTo(llvm::ArrayRef<mlir::Value> sums);
  void store(llvm::ArrayRef<mlir::Value> sums);
  void store(int64_t number, mlir::Value sum);
  /// Adds short sums to the sums in memory, one register after the other. Registers could not hold all sums in memory,
  /// which have twice as many bytes.
  void add(llvm::ArrayRef<mlir::Value> sums);

private:
  int64_t count() const { return shape.machine.groupsOf(shape.rows) * vectors; }
  int64_t groupStride() const { return shape.machine.step.rows * part.sumsStride; }
  Piece pieceOf(int64_t number) const;
  mlir::Value addressOf(int64_t number);
  mlir::Value pointerOf(int64_t number);

  VectorBuilder &build;
  const DepthPart &part;
  const TileShape &shape;
  const int64_t vectors;
  const unsigned lastLanes;
  const mlir::VectorType type;
  llvm::SmallVector<mlir::Value> pointers; ///< One pointer for each group of rows; empty if addresses are used
};

/// Returns the sums of each row separately, in the order of columns. This is for an instruction that multiplies two
/// rows, or has two sums of each column. The number of registers is the same, except that an odd number of vectors is
/// rounded up.
llvm::SmallVector<mlir::Value> sumsByRow(VectorBuilder &build, const TileShape &shape, llvm::ArrayRef<mlir::Value> sums,
                                         int64_t vectors);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_TILESUMS_H
