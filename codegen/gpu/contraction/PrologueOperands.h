// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loads the stored inputs of a prologue's body, for a row of a tile and some steps of the reduction.
// Why:   the map and the statistics of rows that it may read have the same operands.
// How:   an operand that does not depend on the step stays in registers. One that does not depend on the row is loaded
//        once for all rows. All other operands are loaded for each row, four or eight contiguous steps together.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_PROLOGUEOPERANDS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_PROLOGUEOPERANDS_H

#include "codegen/gpu/contraction/ContractionGrid.h"

namespace nacre::codegen::gpu {

class PrologueOperands {
public:
  using Values = LeftSource::Values;
  using Argument = ContractionPrologue::Argument;
  PrologueOperands(ContractionGrid &grid, llvm::ArrayRef<Argument> arguments) : grid(grid), arguments(arguments) {}

  /// Returns the smallest number of quads per load. It is two if an operand is loaded in vectors of eight.
  int64_t leastQuads() const;
  /// Returns the fixed values of the tile's row, one for each argument: addresses, and operands that do not depend on
  /// the step. Null for other arguments.
  Values row(mlir::Value row, int64_t further) const;
  /// These functions are the same as LeftSource's. `quads` must be at least leastQuads().
  Values loadShared(mlir::Value step, int64_t quads) const;
  Values load(mlir::ValueRange row, mlir::Value step, int64_t quads) const;
  /// Returns a value for each argument in the quad with index `number` of `quads` quads. Null for statistics of rows.
  Values takeQuad(mlir::ValueRange row, mlir::ValueRange shared, mlir::ValueRange loaded, int64_t number,
                  int64_t quads) const;

  /// Loads one operand, `offset` elements after `address`. Appends countLoads() values to `loaded`, from which quadOf()
  /// takes a quad.
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
