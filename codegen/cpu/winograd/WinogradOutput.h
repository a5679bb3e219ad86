// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the inverse transform of a unit of a Winograd convolution, from sums in scratch to pixels.
// Why:   the epilogue follows while the outputs are in registers.
// How:   the transform consists of sweeps, if they suit the machine. Otherwise, all values of a tile are computed
//        together. The last row of a tile is stored first. Rows beyond the image are stored to the image's last row,
//        which is overwritten later.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADOUTPUT_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADOUTPUT_H

#include "codegen/cpu/winograd/WinogradSweeps.h"
#include "codegen/cpu/winograd/WinogradTiles.h"

namespace nacre::codegen::cpu {

class WinogradOutput {
public:
  /// Sums in scratch, [value][tile][column]. `row` is the number of elements between tiles, and `plane` between values.
  struct Sums {
    mlir::Value buffer;
    int64_t row = 0, plane = 0;
  };

  /// `sweeps` is null if sweeps do not suit the machine.
  WinogradOutput(KernelFunction &function, VectorBuilder &build, const WinogradConvolution &contraction,
                 WinogradTiles &tiles, WinogradSweeps *sweeps, const Sums &sums);

  /// Emits the outputs of the tile with index `number` in the unit, for `panels` panels of columns.
  void emit(Position number, mlir::Value firstPanel, mlir::Value panels);

private:
  llvm::SmallVector<Term> transform(llvm::ArrayRef<Term> products) const;
  Term unscaled(Term output) const;
  /// Finishes the pixels of a row: applies the epilogue and stores. Each pixel has `width` columns, of which `valid`
  /// are in the result. `to` has the address of the first pixel in each operand.
  void finish(llvm::ArrayRef<mlir::Value> to, mlir::Value column, llvm::ArrayRef<Term> row, int64_t pixels,
              unsigned width, int64_t valid);
  /// Emits the columns up to `end`, in whole vectors of sweeps.
  void sweep(const WinogradTiles::Origin &origin, mlir::Value from, mlir::Value firstColumn, mlir::Value end);
  /// Emits the columns that sweep() has not emitted. `range` has the bounds of the columns in whole registers. `to` has
  /// the addresses of the tile's rows in each operand.
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
