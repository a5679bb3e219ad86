// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which part of a contraction a workgroup computes, and where its elements lie.
// Why:   every template of tiles (Emitters of contractions) divides and addresses in the same way; they differ in how
//        operands come to registers.
// How:   1. a workgroup is a tile of rows and columns of one batch: its number is taken apart;
//        2. an address is the batch's, the row's, the column's and the depth's part, in units of the operand's width.

#ifndef NACRE_CODEGEN_GPU_CONTRACTIONGRID_H
#define NACRE_CODEGEN_GPU_CONTRACTIONGRID_H

#include "codegen/form/ContractionForm.h"
#include "codegen/gpu/IndexBuilder.h"
#include "codegen/gpu/KernelFunction.h"

namespace nacre::codegen::gpu {

/// How an operand is read or written.
enum class Reach {
  Element, ///< One by one.
  Columns, ///< Four columns at once.
  Depth    ///< Four steps of the reduction at once.
};

class ContractionGrid {
public:
  ContractionGrid(KernelFunction &function, const Contraction &contraction, int64_t grain);

  /// Divides the work into tiles of so many rows and columns (a multiple of four): says so to the runtime, and fills
  /// what follows. False, with the reason, where there are too many.
  bool divide(int64_t tileRows, int64_t tileColumns);

  KernelFunction &function;
  const Contraction &contraction;
  IndexBuilder build;

  mlir::Value active; ///< Whether the tile has work, the same for all invocations.
  mlir::Value firstRow, rowLimit;
  mlir::Value firstQuad; ///< Of columns.
  /// What the workgroup writes of the columns: null where tiles cover them exactly.
  mlir::Value columnLow, columnLimit;

  //===--------------------------------------------------------------------===//
  // Addresses, in units of the operand's width
  //===--------------------------------------------------------------------===//

  Reach reach(unsigned operand) const { return reaches[operand]; }
  unsigned width(unsigned operand) const { return reaches[operand] == Reach::Element ? 1 : 4; }
  /// A stride or offset in these units.
  int64_t scaled(unsigned operand, int64_t elements) const { return elements / width(operand); }
  mlir::Value base(unsigned operand) const { return bases[operand]; }
  /// Of a row that is valid.
  mlir::Value rowAddress(unsigned operand, mlir::Value row);
  /// Of column 4 * quad + lane; lane 0 for an operand that is read four columns at once.
  mlir::Value columnAddress(unsigned operand, mlir::Value quad, unsigned lane);
  /// Of a step of the whole reduction, which must be a multiple of four for an operand that is read four steps at once.
  mlir::Value depthAddress(unsigned operand, mlir::Value step);
  /// Whether depthAddress is step * this stride.
  std::optional<int64_t> linearDepth(unsigned operand) const;

  mlir::Value load(unsigned operand, mlir::Value address);
  /// Four columns of one row or step, whatever the operand's reach; those beyond the last repeat it.
  mlir::Value loadQuad(unsigned operand, mlir::Value address, mlir::Value quad);
  /// What `load` makes of a step of the reduction, as an address takes it; zero for a step beyond the last one, where
  /// there may be such.
  mlir::Value loadStep(mlir::Value step, bool mayLieBeyond, llvm::function_ref<mlir::Value(mlir::Value)> load);
  mlir::Value lastRow() { return build.subtract(rowLimit, build.constant(1)); }
  /// `quad`, or the last one where it lies beyond.
  mlir::Value clampedQuad(mlir::Value quad);

  mlir::Type accumulator() const { return contraction.accumulatorType; }
  mlir::Type quadType() const { return mlir::VectorType::get({4}, accumulator()); }
  /// `value` in the accumulator's type.
  mlir::Value extended(mlir::Value value);
  mlir::Value zeroQuad();

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// Finishes `sum`, the four columns of `quad` in `row`, which is valid: the epilogue, and the store.
  void finish(mlir::Value sum, mlir::Value row, mlir::Value quad);

private:
  Reach chooseReach(unsigned operand) const;
  bool liesInFours(unsigned operand, const ContractionLoop *along) const;
  mlir::Value addressOf(unsigned operand, llvm::ArrayRef<ContractionLoop> loops, mlir::Value flat, int64_t step);
  llvm::ArrayRef<ContractionLoop> tiledRows() const;
  mlir::Value applyEpilogue(mlir::Value sum, mlir::Value row, mlir::Value quad);

  const int64_t grain;
  llvm::SmallVector<Reach, 6> reaches;
  llvm::SmallVector<mlir::Value, 6> bases;
  bool exactColumns = false;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTIONGRID_H
