// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the epilogue of a contraction on the sums of a tile, and the stores.
// Why:   activations, biases and residuals need no loads or stores of sums while these are in registers.
// How:   the epilogue's scalar body is inlined on vectors. An input that is the same for several rows is loaded once.
//        If the reduction is not divided, its sums begin with the bias, which saves an addition at the end.

#ifndef NACRE_CODEGEN_CPU_TILES_TILEEPILOGUE_H
#define NACRE_CODEGEN_CPU_TILES_TILEEPILOGUE_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/ContractionForm.h"

#include <memory>

namespace nacre::codegen::cpu {

/// Address of each operand of a contraction, in elements.
using Addresses = llvm::SmallVector<mlir::Value, 6>;

/// Returns the addresses after `index` iterations of `loop`.
Addresses advanced(VectorBuilder &build, const Addresses &at, const ContractionLoop &loop, Position index);

/// Returns `at` in a form that hides from LLVM that all tiles of a run read the same columns and inputs of the
/// epilogue. Otherwise LLVM loads these once before the run, spills them, and reads them from the stack.
Addresses withColumnsHidden(VectorBuilder &build, const LoopedContraction &contraction, const Addresses &at);

/// Distance of an element from the tile's address, in elements, for each operand.
using Distances = llvm::SmallVector<int64_t, 6>;

/// Numbers of an epilogue that may be f16 in registers, because the machine has arithmetic of halves. The results are
/// the same for each of these.
enum class InHalves : uint8_t {
  None,
  Results, ///< Results that are stored as f16
  Sums     ///< The product's sums, too, which are all short
};

class TileEpilogue {
public:
  /// `at` is the address of the tile's first row and column. `buffers` are the buffers of the kernel's arguments.
  TileEpilogue(VectorBuilder &build, const Contraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
               const Addresses &at, InHalves inHalves = InHalves::None);

  /// Returns the type of the sums that are finished.
  mlir::Type sumType() const { return typeOfSums; }

  /// Returns the operand that the epilogue adds first; `nullopt` if the epilogue does not begin with an addition.
  std::optional<unsigned> bias() const { return biasOperand; }

  /// Returns the bias of `lanes` columns from `column` on, with which a sum may begin. Null if fewer than `lanes`
  /// columns are `valid`. The bias must be the same for all rows.
  mlir::Value beginning(unsigned lanes, int64_t column, int64_t valid);

  /// Returns the biases of `vectors` vectors for each of `rows` rows. Each row loads them again, because one load
  /// brings two vectors but a copy only one. Empty if the bias is not contiguous or has another type.
  llvm::SmallVector<mlir::Value> beginningsOfRows(int64_t rows, int64_t vectors, mlir::VectorType type);

  /// Finishes the sums of one row at the distances `row`, and stores them. `sums` has a vector of `lanes` columns for
  /// each part of the product, from `column` on. Only `valid` columns are stored. `begun`: the sum began with the bias.
  void finish(llvm::ArrayRef<mlir::Value> sums, unsigned lanes, const Distances &row, int64_t column, int64_t valid,
              bool begun = false);

  /// Returns how many vectors of `lanes` columns are best finished together. More than one is faster if the results are
  /// bytes, which are narrowed and stored in whole registers.
  int64_t vectorsTogether(unsigned lanes) const;

  struct VectorRange {
    int64_t first = 0, end = 0;
  };
  /// Finishes the vectors in `range` of a row with `columns` valid columns. The vectors of a part of the product begin
  /// `vectorsOfPart` vectors after the vectors of the previous part. `isBegun` says for a vector whether its sums began
  /// with the bias.
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
  mlir::Type typeOfSums;
  std::unique_ptr<mlir::Block> inHalves;
  mlir::Block *body = nullptr; ///< Null if there is no epilogue
  std::optional<unsigned> biasOperand;
  mlir::Value biased; ///< Sum of product and bias in the epilogue's body
  /// Loaded inputs. The key is operand, row, column and width.
  llvm::DenseMap<std::tuple<unsigned, int64_t, int64_t, unsigned>, mlir::Value> loaded;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_TILEEPILOGUE_H
