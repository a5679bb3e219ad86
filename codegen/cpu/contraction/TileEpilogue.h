// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what happens to accumulators of a contraction after the reduction: the epilogue, and the store.
// Why:   activations, biases and residuals cost nothing while the sums are still in registers.
// How:   the epilogue's scalar body is inlined on vectors; its own inputs are loaded once where rows share them.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_TILEEPILOGUE_H
#define NACRE_CODEGEN_CPU_CONTRACTION_TILEEPILOGUE_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// Where the operands of a contraction stand: an address for each, in elements.
using Addresses = llvm::SmallVector<mlir::Value, 6>;

/// The same `index` turns of `loop` further on.
Addresses advanced(VectorBuilder &build, const Addresses &at, const ContractionLoop &loop, Position index);

/// Elements from there, for each operand.
using Distances = llvm::SmallVector<int64_t, 6>;

class TileEpilogue {
public:
  /// `at`: the tile's first row and column. `buffers` are the kernel's.
  TileEpilogue(VectorBuilder &build, const Contraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
               const Addresses &at)
      : build(build), contraction(contraction), buffers(buffers), at(at) {}

  /// Finishes `sums`, a vector of `lanes` for each part of the product, which hold the `valid` columns from `column` on of
  /// the row `row` elements away.
  void finish(llvm::ArrayRef<mlir::Value> sums, unsigned lanes, const Distances &row, int64_t column, int64_t valid);

private:
  llvm::SmallVector<mlir::Value> apply(llvm::ArrayRef<mlir::Value> sums, const Distances &row, int64_t column,
                                       Piece piece);
  mlir::Value loadInput(unsigned operand, int64_t row, int64_t column, Piece piece);

  VectorBuilder &build;
  const Contraction &contraction;
  llvm::ArrayRef<mlir::Value> buffers;
  const Addresses &at;
  llvm::DenseMap<std::tuple<unsigned, int64_t, int64_t>, mlir::Value> loaded; ///< By operand, row and column.
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_TILEEPILOGUE_H
