// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the epilogue of a contraction's accumulators after the reduction, and the stores.
// Why:   activations, biases and residuals cost nothing while the sums are still in registers.
// How:   the epilogue's scalar body is inlined on vectors; its own inputs are loaded once if rows share them. Sums of
//        an undivided reduction begin with the bias, which saves an addition at the end.

#ifndef NACRE_CODEGEN_CPU_TILES_TILEEPILOGUE_H
#define NACRE_CODEGEN_CPU_TILES_TILEEPILOGUE_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// Address of each operand of a contraction, in elements.
using Addresses = llvm::SmallVector<mlir::Value, 6>;

/// Returns the addresses `index` iterations of `loop` further on.
Addresses advanced(VectorBuilder &build, const Addresses &at, const ContractionLoop &loop, Position index);

/// Returns addresses that hide from LLVM that all tiles of a run read the same columns and inputs of the epilogue.
/// Otherwise it loads them once before the run, spills them, and reads them from the stack.
Addresses withColumnsHidden(VectorBuilder &build, const LoopedContraction &contraction, const Addresses &at);

/// Distance from the tile's address in elements, for each operand.
using Distances = llvm::SmallVector<int64_t, 6>;

class TileEpilogue {
public:
  /// `at` is the address of the tile's first row and column. `buffers` are the kernel's.
  TileEpilogue(VectorBuilder &build, const Contraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
               const Addresses &at);

  /// Returns the operand that the epilogue first adds, if it begins with an addition.
  std::optional<unsigned> bias() const { return biasOperand; }

  /// Returns the bias of `lanes` columns from `column` on, with which a sum may begin. Null if not all of them are
  /// `valid`. The bias must be the same for all rows: every row of a result begins with it, whichever tile it is in.
  mlir::Value beginning(unsigned lanes, int64_t column, int64_t valid);

  /// Returns the same for `vectors` vectors of each of several rows. It is loaded for each row: a copy of the first
  /// row's takes one instruction per vector, while one load brings two. Empty if the bias is not contiguous or has
  /// another type.
  llvm::SmallVector<mlir::Value> beginningsOfRows(int64_t rows, int64_t vectors, mlir::VectorType type);

  /// Finishes `sums`, one vector of `lanes` for each part of the product. They hold the `valid` columns from `column`
  /// on of the row at the distances `row`. `begun`: the only sum began with the bias.
  void finish(llvm::ArrayRef<mlir::Value> sums, unsigned lanes, const Distances &row, int64_t column, int64_t valid,
              bool begun = false);

  /// Returns how many vectors of `lanes` columns are best finished as one, because bytes are narrowed and stored many
  /// at once.
  int64_t vectorsTogether(unsigned lanes) const;

  struct VectorRange {
    int64_t first = 0, end = 0;
  };
  /// Finishes the vectors in `range` of a row with `columns` valid columns. The vectors of each part of the product
  /// begin `vectorsOfPart` after those of the part before. Several are finished at once if they become bytes. `isBegun`
  /// says whether a vector's sums began with the bias.
  void finishRow(llvm::ArrayRef<mlir::Value> sums, int64_t vectorsOfPart, int64_t lanes, int64_t columns,
                 const Distances &row, llvm::function_ref<bool(int64_t vector)> isBegun, VectorRange range);

private:
  llvm::SmallVector<mlir::Value> apply(llvm::ArrayRef<mlir::Value> sums, const Distances &row, int64_t column,
                                       Piece piece, bool begun);
  mlir::Value loadInput(unsigned operand, int64_t row, int64_t column, Piece piece);

  VectorBuilder &build;
  const Contraction &contraction;
  llvm::ArrayRef<mlir::Value> buffers;
  const Addresses &at;
  std::optional<unsigned> biasOperand;
  mlir::Value biased; ///< Sum of product and bias in the epilogue's body
  /// Loaded inputs, by operand, row, column and width.
  llvm::DenseMap<std::tuple<unsigned, int64_t, int64_t, unsigned>, mlir::Value> loaded;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_TILEEPILOGUE_H
