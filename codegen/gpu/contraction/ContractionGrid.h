// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the part of a contraction that a workgroup computes, and the addresses of its elements.
// Why:   every template of tiles divides and addresses in the same way. Templates differ only in how they load operands
//        to registers.
// How:   1. a workgroup computes a tile of rows and columns of one batch; its number determines which one;
//        2. an address is the sum of the terms of batch, row, column and depth, in units of the operand's width.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_CONTRACTIONGRID_H
#define NACRE_CODEGEN_GPU_CONTRACTION_CONTRACTIONGRID_H

#include "codegen/form/ContractionForm.h"
#include "codegen/gpu/IndexBuilder.h"
#include "codegen/gpu/KernelFunction.h"
#include "codegen/gpu/contraction/LeftSource.h"

namespace nacre::codegen::gpu {

/// Access pattern of an operand.
enum class Reach {
  Element, ///< One element at a time.
  Columns, ///< Four or eight columns at once.
  Depth,   ///< Four or eight steps of the reduction at once; for Rhs, if it is read transposed.
  Rows     ///< Four or eight rows of Lhs at once: it is read transposed.
};

class ContractionGrid {
public:
  /// `panels` are those of Rhs, if it is packed. `widest` is the most elements of Lhs and Rhs that a template loads at
  /// once; 8 only for 16-bit types. `mayTurn` is true if the template can load several rows of Lhs, or several steps of
  /// Rhs, at once.
  ContractionGrid(KernelFunction &function, const LoopedContraction &contraction, const std::optional<Panels> &panels,
                  unsigned widest = 4, bool mayTurn = false);

  /// Divides the work into tiles of `tileRows` rows and `tileColumns` columns (a multiple of four). Sets the launch
  /// parameters and the members below. Workgroups take `band` tiles below one another before the next columns, so that
  /// concurrent ones find each other's operands in the caches. Returns false, with the reason, if there are too many
  /// workgroups.
  bool divide(int64_t tileRows, int64_t tileColumns, int64_t band = 1);
  /// The same for a template that defines the rows of each of `rowTiles` itself. Tiles cover the whole axis for any
  /// share. There must be no outer loops.
  bool divideInto(int64_t rowTiles, int64_t tileColumns);

  KernelFunction &function;
  const LoopedContraction &contraction;
  IndexBuilder build;

  LeftSource *left = nullptr; ///< Computes the left operand; null if it is in memory.

  mlir::Value active; ///< True if the tile has work; the same for all invocations.
  /// First row of the tile. If there are at least as many rows as in a tile, all rows of the tile exist: the last tile
  /// is moved back to end with the last row. It writes only rows that no other tile writes.
  mlir::Value firstRow;
  mlir::Value rowTile;   ///< Number of the tile of rows; set by divideInto only.
  mlir::Value firstQuad; ///< First quad of columns.
  /// Range of columns that the workgroup writes. `columnLow` is null unless columns are the cut axis.
  mlir::Value columnLow, columnLimit;

  //===--------------------------------------------------------------------===//
  // Addresses, in units of the operand's width
  //===--------------------------------------------------------------------===//

  Reach reach(unsigned operand) const { return reaches[operand]; }
  unsigned width(unsigned operand) const { return widths[operand]; }
  /// Converts a stride or offset to these units.
  int64_t scaled(unsigned operand, int64_t elements) const { return elements / width(operand); }
  mlir::Value base(unsigned operand) const { return bases[operand]; }
  /// Returns the address of row `row` + `further`, which must exist. If rows are read several at a time, it is that of
  /// the row's group.
  mlir::Value rowAddress(unsigned operand, mlir::Value row, int64_t further = 0);
  /// Returns the address of the tile's row `row` + `further`, clamped to the last row.
  mlir::Value tileRowAddress(unsigned operand, mlir::Value row, int64_t further = 0);
  /// Returns the address of column 4 * quad + lane. If the operand is read several columns at once, `quad` counts its
  /// vectors instead.
  mlir::Value columnAddress(unsigned operand, mlir::Value quad, unsigned lane);
  /// Returns the address of a step of the whole reduction. If the operand is read several steps at once, `step` must be
  /// a multiple of its width.
  mlir::Value depthAddress(unsigned operand, mlir::Value step);
  /// Returns s if depthAddress is step * s.
  std::optional<int64_t> linearDepth(unsigned operand) const;

  mlir::Value load(unsigned operand, mlir::Value address);
  /// Loads four columns of one row or step, for any reach. Columns beyond the last one repeat it.
  mlir::Value loadQuad(unsigned operand, mlir::Value address, mlir::Value quad);
  /// Loads a step of the reduction with `load`. If `mayLieBeyond`, a step beyond the last one gives zero.
  mlir::Value loadStep(mlir::Value step, bool mayLieBeyond, llvm::function_ref<mlir::Value(mlir::Value)> load);
  /// The two halves of loadStep. someStep replaces a step beyond the last one by another; zeroBeyond replaces its value
  /// by zero. The load can be in flight between them.
  mlir::Value someStep(mlir::Value step);
  mlir::Value zeroBeyond(mlir::Value step, mlir::Value value);
  /// Returns `quads` quads of steps of the left operand from `step` on, as its source computes them. If `mayLieBeyond`,
  /// steps beyond the last one give zero.
  LeftSource::Values makeLeft(mlir::ValueRange row, mlir::Value step, int64_t quads, bool mayLieBeyond);
  /// Returns `quad`, which counts vectors of `width` columns, clamped to the last one.
  mlir::Value clampedQuad(mlir::Value quad, int64_t width = 4);

  mlir::Type accumulator() const { return contraction.accumulatorType; }
  mlir::Type quadType() const { return mlir::VectorType::get({4}, accumulator()); }
  /// Returns `value` in the accumulator's type.
  mlir::Value extended(mlir::Value value);
  mlir::Value zeroQuad();

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// True if this tile writes `row`; null if it writes all of its rows.
  mlir::Value writes(mlir::Value row);
  /// True if the tile may write some of the rows from `first` to `end`. Only after divideInto.
  mlir::Value writesAny(mlir::Value first, mlir::Value end) {
    return mlir::arith::AndIOp::create(build.ops, build.loc, build.isBelow(first, rowLimit),
                                       build.isBelow(writtenFrom, end));
  }
  /// Loads the epilogue's other operands for the four columns of `quad` in `row`, even if the tile does not write them.
  /// This may precede the sum.
  llvm::SmallVector<mlir::Value> loadForResult(mlir::Value row, mlir::Value quad);
  /// Finishes `sum`, the four columns of `quad` in `row`, which the tile writes: applies the epilogue, and stores the
  /// results.
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
  bool enoughRows = false;           ///< True if there are at least as many rows as in a tile.
  mlir::Value writtenFrom, rowLimit; ///< Range of rows that the tile writes.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_CONTRACTIONGRID_H
