// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what happens to accumulators of a contraction after the reduction: the epilogue, and the store.
// Why:   activations, biases and residuals cost nothing while the sums are still in registers.
// How:   the epilogue's scalar body is inlined on vectors; its own inputs are loaded once where rows share them. Sums that
//        are added up at once begin with the bias, and not with a zero to which it is added in the end.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_TILEEPILOGUE_H
#define NACRE_CODEGEN_CPU_CONTRACTION_TILEEPILOGUE_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// Where the operands of a contraction stand: an address for each, in elements.
using Addresses = llvm::SmallVector<mlir::Value, 6>;

/// The same `index` iterations of `loop` further on.
Addresses advanced(VectorBuilder &build, const Addresses &at, const ContractionLoop &loop, Position index);

/// The same, of which LLVM does not know that all tiles of a run read the same columns and the same inputs of the epilogue. It would load them
/// once before the run, for which there are no registers, and then again from the stack.
Addresses withColumnsHidden(VectorBuilder &build, const LoopedContraction &contraction, const Addresses &at);

/// Elements from there, for each operand.
using Distances = llvm::SmallVector<int64_t, 6>;

class TileEpilogue {
public:
  /// `at`: the tile's first row and column. `buffers` are the kernel's.
  TileEpilogue(VectorBuilder &build, const Contraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
               const Addresses &at);

  /// What the epilogue begins with adding, if it does.
  std::optional<unsigned> bias() const { return biasOperand; }

  /// Of that, what a sum of `lanes` columns from `column` on may begin with; null where not all of them are `valid`. It
  /// must not move with rows: every row of a result begins with the same, whichever tile it is in.
  mlir::Value beginning(unsigned lanes, int64_t column, int64_t valid);

  /// The same for so many vectors of each of several rows, which are loaded for each row: copies of the first row's would
  /// be an instruction a vector, and one loads two. Empty where the bias does not lie so.
  llvm::SmallVector<mlir::Value> beginningsOfRows(int64_t rows, int64_t vectors, mlir::VectorType type);

  /// Finishes `sums`, a vector of `lanes` for each part of the product, which hold the `valid` columns from `column` on of
  /// the row `row` elements away. `begun`: the one sum began with its beginning.
  void finish(llvm::ArrayRef<mlir::Value> sums, unsigned lanes, const Distances &row, int64_t column, int64_t valid,
              bool begun = false);

  /// How many vectors of so many columns are best finished as one: bytes are narrowed and stored many at once.
  int64_t vectorsTogether(unsigned lanes) const;

  struct VectorRange {
    int64_t first = 0, end = 0;
  };
  /// Finishes those in `range` of the `columns` valid columns of a row, in vectors of `lanes`, those of each part of the product `vectorsOfPart` after the
  /// former's; several at once if they become bytes. `isBegun`: whether the sums of that vector began with their beginning.
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
  mlir::Value biased; ///< In the epilogue's body: sum and bias.
  llvm::DenseMap<std::tuple<unsigned, int64_t, int64_t, unsigned>, mlir::Value>
      loaded; ///< By operand, row, column, width.
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_TILEEPILOGUE_H
