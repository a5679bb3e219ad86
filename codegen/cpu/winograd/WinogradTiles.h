// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes the positions of Winograd tiles in their images.
// Why:   the transforms of the input and of the outputs both need them, forward and backward.
// How:   positions beyond the image are clamped to its edge. Edge tiles then read only existing pixels. They write
//        their last rows and pixels several times; the last value is correct.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTILES_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTILES_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/WinogradForm.h"

namespace nacre::codegen::cpu {

class WinogradTiles {
public:
  WinogradTiles(VectorBuilder &build, const WinogradConvolution &contraction)
      : build(build), contraction(contraction), plan(planOf(contraction)) {}

  /// Sets the unit. `low` is its first index of the cut axis, and `firstTile` its first tile in the block. `group` is
  /// the group of channels and columns; null if there is only one.
  void beginAt(mlir::Value low, mlir::Value group, mlir::Value firstTile) {
    this->low = low, this->group = group, this->firstTile = firstTile;
  }

  /// Position of a tile: its image, its first row, and its index in a row of tiles.
  struct Origin {
    mlir::Value image, row, column;
  };
  Origin originOf(Position number);

  /// Emits `body` for a tile with `valid` pixels across. All tiles have `tile` pixels, except the last tile of a row if
  /// the image's width is not a multiple of `tile`.
  void forTilesOfRow(const Origin &origin, llvm::function_ref<void(int64_t valid)> body);
  /// Returns the last pixel of the image that a tile reads across. Null if all tiles lie inside the image.
  mlir::Value lastPixelOf(const Origin &origin);

  /// Returns the address in an operand of row `number` of a tile with `count` rows. Rows beyond the image are clamped
  /// to its last row.
  mlir::Value rowOf(const Origin &origin, unsigned operand, int64_t count, Position number);
  llvm::SmallVector<mlir::Value> rowsOf(const Origin &origin, unsigned operand, int64_t count);

private:
  /// Returns the width of the last tile of a row; 0 if it is as wide as all others.
  int64_t rest() const { return plan.rest(contraction.across.size); }
  mlir::Value isWhole(const Origin &origin);

  VectorBuilder &build;
  const WinogradConvolution &contraction;
  const WinogradPlan plan;
  mlir::Value low, group, firstTile;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTILES_H
