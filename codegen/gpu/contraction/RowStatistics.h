// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  numbers of the rows of a workgroup's tile, such as their mean and deviation, and what a map makes of them alone.
// Why:   a product that normalizes the rows it reads computes them once, not for each element.
// How:   1. neighbouring invocations share a row: each adds up every so manyth quad of it, which it keeps in registers
//           where they are few;
//        2. sums meet in shared memory; each of the row's invocations adds them in their order, and goes on to the next
//           number with the total;
//        3. the first of them computes what the map needs, and leaves it in shared memory.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_ROWSTATISTICS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_ROWSTATISTICS_H

#include "codegen/gpu/contraction/PrologueOperands.h"
#include "mlir/IR/IRMapping.h"

namespace nacre::codegen::gpu {

class RowStatistics {
public:
  RowStatistics(ContractionGrid &grid, const ContractionPrologue &prologue, int64_t tileRows, int64_t invocations);

  /// Computes all numbers; all invocations of a workgroup come here, and find them behind it.
  void compute();
  /// Says in `values` what the map's body knows of the tile's row.
  void recall(mlir::Value row, mlir::IRMapping &values) const;

private:
  using Values = LeftSource::Values;
  void findKept();
  /// A quad of each stored operand.
  struct Quad {
    mlir::Value step;
    Values values;
  };
  void load(mlir::ValueRange row, mlir::Value group, llvm::SmallVectorImpl<Quad> &quads) const;
  mlir::Value stepOf(mlir::Value group) const;
  void computeRow(mlir::Value row);
  mlir::Value addRow(size_t number, mlir::ValueRange row, llvm::ArrayRef<Quad> quads, mlir::ValueRange totals);
  mlir::Value addQuad(size_t number, const Quad &quad, mlir::ValueRange totals, mlir::Value sum);
  mlir::Value addTogether(size_t number, mlir::Value sum);
  void keep(mlir::Value row, mlir::ValueRange totals);

  ContractionGrid &grid;
  IndexBuilder &build;
  const ContractionPrologue &prologue;
  llvm::SmallVector<ContractionPrologue::Argument, 4> stored; ///< Each operand that some number is of, once.
  const PrologueOperands operands;
  const int64_t tileRows, invocations;
  int64_t perRow = 1, iterations = 1;     ///< Invocations of a row; rows of an invocation.
  int64_t quadsAtOnce = 1;                ///< In a group.
  int64_t groups = 1;                     ///< Of a row that an invocation has.
  mlir::Value slot, lane;                 ///< Its first row, and which of the row's it is.
  llvm::SmallVector<mlir::Value, 4> kept; ///< Values of the map's body that depend on numbers of rows alone.
  mlir::Value sums, results;              ///< Shared memory.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_ROWSTATISTICS_H
