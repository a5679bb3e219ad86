// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a unit of a convolution by Winograd on its way back: from sums in scratch to pixels.
// Why:   the epilogue follows while they are in registers.
// How:   by sweeps, where they suit the machine, else a tile's numbers at once; all rows of a tile, the last first: what lies
//        beyond the image is overwritten by what lies in it.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADOUTPUT_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADOUTPUT_H

#include "codegen/cpu/winograd/WinogradSweeps.h"
#include "codegen/cpu/winograd/WinogradTiles.h"

namespace nacre::codegen::cpu {

class WinogradOutput {
public:
  /// [number][tile][column]; elements from a number, and from a tile, to the next.
  struct Sums {
    mlir::Value buffer;
    int64_t row = 0, plane = 0;
  };

  /// `sweeps`: null where they do not suit the machine.
  WinogradOutput(KernelFunction &function, VectorBuilder &build, const WinogradConvolution &contraction,
                 WinogradTiles &tiles, WinogradSweeps *sweeps, const Sums &sums);

  /// The tile of that number, and so many panels of columns.
  void emit(Position number, mlir::Value firstPanel, mlir::Value panels);

private:
  llvm::SmallVector<Term> transform(llvm::ArrayRef<Term> products) const;
  Term unscaled(Term output) const;
  /// A row's pixels, `width` columns of each, `valid` of them in the result. `to`: where the first pixel lies, by operand.
  void finish(llvm::ArrayRef<mlir::Value> to, mlir::Value column, llvm::ArrayRef<Term> row, int64_t pixels,
              unsigned width, int64_t valid);
  /// The columns of whole vectors of sweeps, up to `end`.
  void sweep(const WinogradTiles::Origin &origin, mlir::Value from, mlir::Value firstColumn, mlir::Value end);
  /// All others, of which those of whole registers are in `range`. `to`: rows by operand.
  void emitPixels(int64_t pixels, llvm::ArrayRef<llvm::SmallVector<mlir::Value>> to, mlir::Value from,
                  mlir::Value firstColumn, mlir::Value panels, std::pair<mlir::Value, mlir::Value> range);

  mlir::Value difference(mlir::Value a, mlir::Value b);
  int64_t width() const { return contraction.panels.width; }

  KernelFunction &function;
  VectorBuilder &build;
  const WinogradConvolution &contraction;
  WinogradTiles &tiles;
  WinogradSweeps *sweeps;
  const Sums sums;
  const MachineRow &machine;
  const unsigned lanes;
  const int64_t tile, inputs;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADOUTPUT_H
