// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loads what a prologue's body reads of storages, for a row of a tile and some steps of the reduction.
// Why:   the map, and the numbers of rows that it may read, have the same operands.
// How:   an operand has what no step moves in registers, is loaded once for all rows where no row moves it, and else for
//        each; four or eight steps at once where they lie together.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_PROLOGUEOPERANDS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_PROLOGUEOPERANDS_H

#include "codegen/gpu/contraction/ContractionGrid.h"

namespace nacre::codegen::gpu {

class PrologueOperands {
public:
  using Values = LeftSource::Values;
  using Argument = ContractionPrologue::Argument;
  PrologueOperands(ContractionGrid &grid, llvm::ArrayRef<Argument> arguments) : grid(grid), arguments(arguments) {}

  /// How many quads are loaded at once, at least: two where something is loaded by eights.
  int64_t leastQuads() const;
  /// What is fixed for the tile's row: addresses, and what no step moves. As many as arguments; null where there is nothing.
  Values row(mlir::Value row, int64_t further) const;
  /// As in LeftSource, of so many quads or more.
  Values loadShared(mlir::Value step, int64_t quads) const;
  Values load(mlir::ValueRange row, mlir::Value step, int64_t quads) const;
  /// A value for each argument in quad `number` of `quads`; null for numbers of rows.
  Values takeQuad(mlir::ValueRange row, mlir::ValueRange shared, mlir::ValueRange loaded, int64_t number,
                  int64_t quads) const;

  /// One operand, `offset` elements behind an address of its own: appends to `loaded` countLoads values, of which quadOf is
  /// a quad.
  void loadSteps(unsigned operand, mlir::Value address, mlir::Value step, int64_t quads, Values &loaded,
                 int64_t offset = 0) const;
  size_t countLoads(unsigned operand, int64_t quads) const;
  mlir::Value quadOf(unsigned operand, mlir::ValueRange loaded, int64_t number) const;

private:
  enum class Moves { None, Rows, Steps, Both };
  Moves movesOf(const Argument &argument) const;
  Values loadWhere(Moves moves, mlir::ValueRange row, mlir::Value step, int64_t quads) const;

  ContractionGrid &grid;
  llvm::ArrayRef<Argument> arguments;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_PROLOGUEOPERANDS_H
