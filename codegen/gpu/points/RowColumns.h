// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits sweeps over the columns of a row that one invocation computes.
// Why:   reductions and results visit the same columns, and the elements of short rows stay in registers in between.

#ifndef NACRE_CODEGEN_GPU_POINTS_ROWCOLUMNS_H
#define NACRE_CODEGEN_GPU_POINTS_ROWCOLUMNS_H

#include "codegen/gpu/points/Evaluator.h"
#include "codegen/gpu/points/RowGrid.h"

namespace nacre::codegen::gpu {

class RowColumns {
public:
  /// Body of a sweep, which gets a position for each loop over columns, and the carried values.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(const Point &, mlir::ValueRange)>;

  /// `sizes` are those of the loops over columns. `thread` is the index of the invocation among those of its row, and
  /// `isRow` is true if the invocation has a row, or null. All are read when a sweep is emitted.
  RowColumns(PointBuilder &build, Evaluator &evaluator, const llvm::SmallVector<int64_t> &sizes, const RowGrid &rowGrid,
             const mlir::Value &thread, const mlir::Value &isRow)
      : build(build), evaluator(evaluator), sizes(sizes), rowGrid(rowGrid), thread(thread), isRow(isRow) {}

  /// Forgets the columns of the row before.
  void beginRow() { unrolled.clear(); }

  /// Emits all columns of this invocation. Carries rowGrid.sums copies of `carried`, one after another. Columns
  /// alternate between the copies.
  llvm::SmallVector<mlir::Value> sweep(mlir::ValueRange carried, Body body);

private:
  struct Column {
    mlir::Value number, inside; ///< `inside` is null if the column certainly exists.
  };

  Column columnOf(mlir::Value iteration, bool isLast);
  llvm::SmallVector<mlir::Value> iterate(const Column &column, mlir::ValueRange carried, Body body);

  PointBuilder &build;
  Evaluator &evaluator;
  const llvm::SmallVector<int64_t> &sizes;
  const RowGrid &rowGrid;
  const mlir::Value &thread, &isRow;
  llvm::SmallVector<Column> unrolled; ///< Columns of each iteration of an unrolled sweep.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_ROWCOLUMNS_H
