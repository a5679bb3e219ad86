// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which part of a contraction a workgroup computes, and where its elements lie.
// Why:   every template of tiles (Emitters of contractions) divides and addresses in the same way; they differ in how
//        operands come to registers.
// How:   1. a workgroup is a tile of rows and columns of one batch: its number is taken apart;
//        2. an address is the batch's, the row's, the column's and the depth's part, in units of the operand's width.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_CONTRACTIONGRID_H
#define NACRE_CODEGEN_GPU_CONTRACTION_CONTRACTIONGRID_H

#include "codegen/form/ContractionForm.h"
#include "codegen/gpu/IndexBuilder.h"
#include "codegen/gpu/KernelFunction.h"
#include "codegen/gpu/contraction/LeftSource.h"

namespace nacre::codegen::gpu {

/// How an operand is read or written.
enum class Reach {
  Element, ///< One by one.
  Columns, ///< Four or eight columns at once.
  Depth,   ///< As many steps of the reduction at once: of Rhs, if it is read transposed.
  Rows     ///< Four rows of Lhs at once: it is read transposed.
};

class ContractionGrid {
public:
  /// `panels`: of Rhs, if packed so. `widest`: how many elements of Lhs and Rhs a template takes at once, 8 of 16 bits. `mayTurn`:
  /// whether it takes rows of Lhs, or steps of Rhs, four at once.
  ContractionGrid(KernelFunction &function, const LoopedContraction &contraction, const std::optional<Panels> &panels,
                  unsigned widest = 4, bool mayTurn = false);

  /// Divides the work into tiles of so many rows and columns (a multiple of four): says so to the runtime, and fills
  /// what follows. Workgroups that run at the same time have tiles below one another, `band` of them, before the next
  /// columns come: they find each other's operands in the caches. False, with the reason, where there are too many.
  bool divide(int64_t tileRows, int64_t tileColumns, int64_t band = 1);
  /// The same where a template knows which rows each of `rowTiles` has. They are those of the whole axis, whatever the share; no
  /// loop may be an outer one.
  bool divideInto(int64_t rowTiles, int64_t tileColumns);

  KernelFunction &function;
  const LoopedContraction &contraction;
  IndexBuilder build;

  LeftSource *left = nullptr; ///< Makes the left operand; null where memory holds it.

  mlir::Value active; ///< Whether the tile has work, the same for all invocations.
  /// The tile's first row. Where rows are as many as a tile has, all of its rows are rows of the contraction: the last
  /// tile is moved back until it ends with them, and writes what it has alone.
  mlir::Value firstRow;
  mlir::Value rowTile;   ///< Its number; of divideInto only.
  mlir::Value firstQuad; ///< Of columns.
  /// What the workgroup writes of the columns: null where tiles cover them exactly.
  mlir::Value columnLow, columnLimit;

  //===--------------------------------------------------------------------===//
  // Addresses, in units of the operand's width
  //===--------------------------------------------------------------------===//

  Reach reach(unsigned operand) const { return reaches[operand]; }
  unsigned width(unsigned operand) const { return widths[operand]; }
  /// A stride or offset in these units.
  int64_t scaled(unsigned operand, int64_t elements) const { return elements / width(operand); }
  mlir::Value base(unsigned operand) const { return bases[operand]; }
  /// Returns the address of row `row` + `further`, which must exist. If rows are read four at a time, it is that of the row's group.
  mlir::Value rowAddress(unsigned operand, mlir::Value row, int64_t further = 0);
  /// Of the tile's row `row` + `further`, or of the last one where it lies beyond.
  mlir::Value tileRowAddress(unsigned operand, mlir::Value row, int64_t further = 0);
  /// Of column 4 * quad + lane; for an operand that is read several columns at once, of that many times `quad`.
  mlir::Value columnAddress(unsigned operand, mlir::Value quad, unsigned lane);
  /// Of a step of the whole reduction, which must be a multiple of the width for an operand that is read several steps
  /// at once.
  mlir::Value depthAddress(unsigned operand, mlir::Value step);
  /// Whether depthAddress is step * this stride.
  std::optional<int64_t> linearDepth(unsigned operand) const;

  mlir::Value load(unsigned operand, mlir::Value address);
  /// Four columns of one row or step, whatever the operand's reach; those beyond the last repeat it.
  mlir::Value loadQuad(unsigned operand, mlir::Value address, mlir::Value quad);
  /// What `load` makes of a step of the reduction, as an address takes it; zero for a step beyond the last one, where
  /// there may be such.
  mlir::Value loadStep(mlir::Value step, bool mayLieBeyond, llvm::function_ref<mlir::Value(mlir::Value)> load);
  /// The two halves of that: the step, or another where it lies beyond, and zero in place of what was loaded there. Until then it may
  /// be on its way.
  mlir::Value someStep(mlir::Value step);
  mlir::Value zeroBeyond(mlir::Value step, mlir::Value value);
  /// Quads of steps of the left operand as its source makes them, from `step` on; zero for steps beyond the last one, where
  /// there may be such.
  LeftSource::Values makeLeft(mlir::ValueRange row, mlir::Value step, int64_t quads, bool mayLieBeyond);
  /// `quad`, of four columns or of `width`, or the last one where it lies beyond.
  mlir::Value clampedQuad(mlir::Value quad, int64_t width = 4);

  mlir::Type accumulator() const { return contraction.accumulatorType; }
  mlir::Type quadType() const { return mlir::VectorType::get({4}, accumulator()); }
  /// `value` in the accumulator's type.
  mlir::Value extended(mlir::Value value);
  mlir::Value zeroQuad();

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// Whether this tile writes `row`; null where it writes all of its rows.
  mlir::Value writes(mlir::Value row);
  /// Whether it may write some of the rows from `first` to `end`; of divideInto.
  mlir::Value writesAny(mlir::Value first, mlir::Value end) {
    return mlir::arith::AndIOp::create(build.ops, build.loc, build.isBelow(first, rowLimit),
                                       build.isBelow(writtenFrom, end));
  }
  /// What the epilogue reads of other operands for the four columns of `quad` in `row`, whether the tile writes them or not: it may
  /// be loaded before the sum is there.
  llvm::SmallVector<mlir::Value> loadForResult(mlir::Value row, mlir::Value quad);
  /// Finishes `sum`, the four columns of `quad` in `row`, which the tile writes: the epilogue, and the store.
  void finish(mlir::Value sum, mlir::Value row, mlir::Value quad);
  void finish(mlir::Value sum, mlir::Value row, mlir::Value quad, llvm::ArrayRef<mlir::Value> loaded);

private:
  bool declineGroups() {
    function.declined = "more workgroups than any device launches";
    return false;
  }
  bool makesLeft(unsigned operand) const;
  bool liesInRows(unsigned width) const;
  bool liesInSteps(unsigned width) const;
  Reach chooseReach(unsigned operand, unsigned width) const;
  bool liesInGroups(unsigned operand, const ContractionLoop *along, unsigned width) const;
  mlir::Value addressOf(unsigned operand, llvm::ArrayRef<ContractionLoop> loops, mlir::Value flat, int64_t step);
  llvm::ArrayRef<ContractionLoop> tiledRows() const;
  llvm::SmallVector<mlir::Value> applyEpilogue(mlir::Value sum, llvm::ArrayRef<mlir::Value> loaded);
  void store(unsigned result, mlir::Value value, mlir::Value row, mlir::Value quad);

  const std::optional<Panels> panels;
  const int64_t grain;
  llvm::SmallVector<Reach, 6> reaches;
  llvm::SmallVector<unsigned, 6> widths;
  llvm::SmallVector<mlir::Value, 6> bases;
  bool exactColumns = false, exactRows = false;
  bool enoughRows = false;           ///< As many as a tile has.
  mlir::Value writtenFrom, rowLimit; ///< Which rows are the tile's to write.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_CONTRACTIONGRID_H
