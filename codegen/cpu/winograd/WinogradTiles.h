// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where the tiles of a convolution by Winograd lie in their images.
// Why:   transforms of the input and of the products both begin by asking.
// How:   what lies beyond the image is clamped to its edge, so that edge tiles read what there is, and write their last rows and
//        pixels again and again, right at the last.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTILES_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTILES_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

class WinogradTiles {
public:
  WinogradTiles(VectorBuilder &build, const WinogradConvolution &contraction)
      : build(build), contraction(contraction), tile(contraction.method.outputs) {}

  int64_t down() const { return llvm::divideCeil(contraction.down.size, tile); }
  int64_t across() const { return llvm::divideCeil(contraction.across.size, tile); }

  /// The unit's: its indices of the cut axis begin at `low`, its tiles with that number of the block's. `group`: of channels
  /// and columns; null where there is one.
  void beginAt(mlir::Value low, mlir::Value group, mlir::Value firstTile) {
    this->low = low, this->group = group, this->firstTile = firstTile;
  }

  /// The image of a tile and its first row, and which of the row's it is.
  struct Origin {
    mlir::Value image, row, column;
  };
  Origin originOf(Position number);

  /// Emits `body` for tiles of so many pixels across: all have `tile`, but for the last of a row where the image's are no
  /// multiple of it.
  void forTilesOfRow(const Origin &origin, llvm::function_ref<void(int64_t valid)> body);
  /// Of the pixels that a tile reads across, the last in the image; null where all are.
  mlir::Value lastPixelOf(const Origin &origin);

  /// Where a tile's row begins in an operand, of `count` of them: those beyond the image at its last.
  mlir::Value rowOf(const Origin &origin, unsigned operand, int64_t count, Position number);
  llvm::SmallVector<mlir::Value> rowsOf(const Origin &origin, unsigned operand, int64_t count);

private:
  /// Of the last tile of a row; 0 where it is like all others.
  int64_t rest() const { return contraction.across.size % tile; }
  mlir::Value isWhole(const Origin &origin);

  VectorBuilder &build;
  const WinogradConvolution &contraction;
  const int64_t tile;
  mlir::Value low, group, firstTile;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTILES_H
