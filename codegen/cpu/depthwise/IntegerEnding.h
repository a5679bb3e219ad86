// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  beginnings and results of the sums of a depthwise convolution of integers.
// Why:   biases and zero points are added up once a row, and cost nothing when sums begin with them; sums of bytes are requantized
//        while they are in registers, and narrowed together.
// How:   the additions that an epilogue begins with are its beginning: integers wrap, so their order does not matter. The rest of its
//        body is inlined on all sums of an output.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_INTEGERENDING_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_INTEGERENDING_H

#include "codegen/cpu/contraction/TileEpilogue.h"
#include "codegen/cpu/depthwise/ChannelLayout.h"
#include "codegen/cpu/depthwise/RowValues.h"

namespace nacre::codegen::cpu {

class IntegerEnding {
public:
  IntegerEnding(VectorBuilder &build, const Contraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
                llvm::ArrayRef<ContractionLoop> rows);

  /// Vectors of sums, and as many of each operand, that a row has in common.
  unsigned vectorsOfRow(const ChannelLayout &layout) const;

  /// Keeps what the row of tiles at `at` has in common. `correction`: what is added to sums besides; empty: nothing.
  void beginRow(RowValues &row, const ChannelLayout &layout, Piece channels, const Addresses &at,
                llvm::ArrayRef<mlir::Value> correction, bool inRegisters);
  /// What sums begin with.
  llvm::SmallVector<mlir::Value, 4> beginning(RowValues &row, mlir::Value place) const;
  /// Finishes the sums of an output, `distances` from the tile's first one at `at`.
  void finish(RowValues &row, mlir::Value place, const ChannelLayout &layout, Piece channels,
              llvm::ArrayRef<mlir::Value> sums, const Addresses &at, const Distances &distances);

private:
  /// An addition that the epilogue begins with.
  struct Term {
    std::optional<unsigned> operand;
    mlir::TypedAttr constant; ///< Where it is no operand.
    bool isSubtracted = false;
  };

  void findTerms();
  std::optional<Term> termOf(mlir::Value addend) const;
  bool isTerm(unsigned operand) const;
  bool staysInRow(unsigned operand) const;
  /// A scalar for all channels, or all in the order of sums.
  mlir::Value load(unsigned operand, mlir::Value address, const ChannelLayout &layout, Piece channels);
  /// Stores to a result what the epilogue's body yields as `yielded`, sums in their order.
  void store(unsigned operand, mlir::Value yielded, mlir::Value sums, const ChannelLayout &layout, Piece channels,
             mlir::Value address);

  VectorBuilder &build;
  const Contraction &contraction;
  llvm::ArrayRef<mlir::Value> buffers;
  llvm::ArrayRef<ContractionLoop> rows;
  llvm::SmallVector<Term> terms;
  mlir::Value biased; ///< In the epilogue's body: the sum and all terms; null where there are none.

  // Numbers of what a row keeps.
  llvm::SmallVector<unsigned, 4> begun;
  llvm::DenseMap<unsigned, unsigned> common; ///< By operand.
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_INTEGERENDING_H
