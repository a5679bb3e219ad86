// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes statistics of the rows of a workgroup's tile, such as mean and deviation, and the values of a map
//        that depend only on them.
// Why:   a product that normalizes its rows computes them once, instead of for each element.
// How:   1. adjacent invocations share a row. Each adds up every perRow-th group of quads, which it keeps in registers
//           if there are few;
//        2. the sums go to shared memory. Each of the row's invocations adds them up in the same order, and computes
//           the next statistic with the total;
//        3. the first invocation of a row computes the values that the map needs, and writes them to shared memory.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_ROWSTATISTICS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_ROWSTATISTICS_H

#include "codegen/gpu/contraction/PrologueOperands.h"
#include "mlir/IR/IRMapping.h"

namespace nacre::codegen::gpu {

class RowStatistics {
public:
  RowStatistics(ContractionGrid &grid, const ContractionPrologue &prologue, int64_t tileRows, int64_t invocations);

  /// Computes all statistics, and ends with a barrier. All invocations of a workgroup must execute it.
  void compute();
  /// Adds the values of the map's body that are known for the tile's row to `values`.
  void recall(mlir::Value row, mlir::IRMapping &values) const;

private:
  using Values = LeftSource::Values;
  void findKept();
  /// One quad of each stored operand.
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
  /// The stored operands of the statistics, without duplicates.
  llvm::SmallVector<ContractionPrologue::Argument, 4> stored;
  const PrologueOperands operands;
  const int64_t tileRows, invocations;
  int64_t perRow = 1, iterations = 1;     ///< Number of invocations of a row; number of rows of an invocation.
  int64_t quadsAtOnce = 1;                ///< Number of quads of a group.
  int64_t groups = 1;                     ///< Number of groups of a row that one invocation adds up.
  mlir::Value slot, lane;                 ///< Invocation's first row, and its index among the invocations of the row.
  llvm::SmallVector<mlir::Value, 4> kept; ///< Values of the map's body that depend only on statistics.
  mlir::Value sums, results;              ///< Arrays in shared memory.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_ROWSTATISTICS_H
