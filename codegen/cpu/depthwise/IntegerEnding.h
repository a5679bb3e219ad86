// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the initial values and the results of the sums in a depthwise convolution of integers.
// Why:   biases and zero points are added up once for each row, and cost nothing if sums begin with them. Sums of bytes
//        are requantized in registers, and narrowed together.
// How:   the additions at the beginning of an epilogue give the initial value. Integers wrap, so the order of additions
//        does not matter. The rest of the epilogue's body is inlined on all sums of an output.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_INTEGERENDING_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_INTEGERENDING_H

#include "codegen/cpu/depthwise/ChannelLayout.h"
#include "codegen/cpu/depthwise/RowValues.h"
#include "codegen/cpu/tiles/TileEpilogue.h"

namespace nacre::codegen::cpu {

class IntegerEnding {
public:
  IntegerEnding(VectorBuilder &build, const Contraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
                llvm::ArrayRef<ContractionLoop> rows);

  /// Returns the number of vectors, of sums and of operands, that are the same for all outputs of a row.
  unsigned vectorsOfRow(const ChannelLayout &layout) const;

  /// Keeps the values that are the same for the row of tiles at `at`. `correction` is also added to the initial values,
  /// unless it is empty.
  void beginRow(RowValues &row, const ChannelLayout &layout, Piece channels, const Addresses &at,
                llvm::ArrayRef<mlir::Value> correction, bool inRegisters);
  /// Returns the initial values of an output's sums. `place` is the result of RowValues::makePlace().
  llvm::SmallVector<mlir::Value, 4> beginning(RowValues &row, mlir::Value place) const;
  /// Finishes the sums of the output at `distances` from the tile's first output, which is at `at`.
  void finish(RowValues &row, mlir::Value place, const ChannelLayout &layout, Piece channels,
              llvm::ArrayRef<mlir::Value> sums, const Addresses &at, const Distances &distances);

private:
  /// Addition at the beginning of the epilogue.
  struct Term {
    std::optional<unsigned> operand;
    mlir::TypedAttr constant; ///< Null if the term is an operand
    bool isSubtracted = false;
  };

  void findTerms();
  std::optional<Term> termOf(mlir::Value addend) const;
  bool isTerm(unsigned operand) const;
  bool staysInRow(unsigned operand) const;
  /// Loads one scalar for all channels, or one value for each channel in the order of sums.
  mlir::Value load(unsigned operand, mlir::Value address, const ChannelLayout &layout, Piece channels);
  /// Stores the epilogue's result `yielded`. Its values are `sums`, in the order of sums.
  void store(unsigned operand, mlir::Value yielded, mlir::Value sums, const ChannelLayout &layout, Piece channels,
             mlir::Value address);

  VectorBuilder &build;
  const Contraction &contraction;
  llvm::ArrayRef<mlir::Value> buffers;
  llvm::ArrayRef<ContractionLoop> rows;
  llvm::SmallVector<Term> terms;
  mlir::Value biased; ///< Result of all terms in the epilogue's body; null if there are no terms

  // Indices of the values that RowValues keeps.
  llvm::SmallVector<unsigned, 4> begun;
  llvm::DenseMap<unsigned, unsigned> common; ///< Common values of a row. The key is the operand
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_INTEGERENDING_H
