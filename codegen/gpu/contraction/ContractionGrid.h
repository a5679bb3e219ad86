// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the part of a contraction that a workgroup computes, and the addresses of its elements.
// Why:   all templates of tiles divide work and compute addresses in the same way. They differ only in how they load
//        operands to registers.
// How:   1. a workgroup computes a tile of rows and columns of one batch, which the index of the workgroup determines;
//        2. an address is the sum of terms for batch, row, column and depth, in units of the operand's width.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_CONTRACTIONGRID_H
#define NACRE_CODEGEN_GPU_CONTRACTION_CONTRACTIONGRID_H

#include "codegen/form/ContractionForm.h"
#include "codegen/gpu/IndexBuilder.h"
#include "codegen/gpu/KernelFunction.h"
#include "codegen/gpu/contraction/LeftSource.h"
#include "codegen/gpu/contraction/WordProduct.h"
#include <array>

namespace nacre::codegen::gpu {

/// Access pattern of an operand.
enum class Reach {
  Element, ///< One element at a time.
  Columns, ///< Four or eight columns together.
  Depth,   ///< Two (of words), four or eight steps of the reduction together. Rhs is then read transposed.
  Rows     ///< Four or eight rows of Lhs together. Lhs is then read transposed.
};

class ContractionGrid {
public:
  /// `panels` are the panels of Rhs, if it is packed. `widest` is the largest number of elements that a template loads
  /// together; 8 is only valid for 16-bit types. `mayTurn` is true if the template can load several rows of Lhs, or
  /// several steps of Rhs, together. `words` is the contraction if it is a product of words, otherwise null.
  ContractionGrid(KernelFunction &function, const LoopedContraction &contraction, const std::optional<Panels> &panels,
                  unsigned widest = 4, bool mayTurn = false, const WordProduct *words = nullptr);

  /// Divides the work into tiles of `tileRows` rows and `tileColumns` columns, which is a multiple of four. Sets the
  /// launch parameters and the members below. Workgroups compute `band` tiles along the rows before the next
  /// columns. Concurrent workgroups then share operands in the caches. Returns false, and sets the reason, if there are
  /// too many workgroups.
  bool divide(int64_t tileRows, int64_t tileColumns, int64_t band = 1);
  /// Like divide(), for a template that defines the rows of each of `rowTiles` tiles itself. Tiles cover the whole axis
  /// for any share. There must be no outer loops.
  bool divideInto(int64_t rowTiles, int64_t tileColumns);

  KernelFunction &function;
  const LoopedContraction &contraction;
  IndexBuilder build;

  LeftSource *left = nullptr; ///< Source that computes the left operand; null if the operand is in memory.

  mlir::Value active; ///< True if the tile has work. All invocations of a workgroup have the same value.
  /// First row of the tile. If there are at least as many rows as in a tile, the last tile is moved back to end with
  /// the last row. All rows of a tile then exist. It writes only rows that no other tile writes.
  mlir::Value firstRow;
  mlir::Value rowTile;   ///< Index of the tile along the rows. Only divideInto() sets it.
  mlir::Value firstQuad; ///< First quad of columns.
  /// Range of the columns that the workgroup writes. `columnLow` is null unless columns are the cut axis.
  mlir::Value columnLow, columnLimit;

  //===--------------------------------------------------------------------===//
  // Addresses, in units of the operand's width
  //===--------------------------------------------------------------------===//

  Reach reach(unsigned operand) const { return reaches[operand]; }
  unsigned width(unsigned operand) const { return widths[operand]; }
  /// Returns a stride or offset in units of the operand's width.
  int64_t scaled(unsigned operand, int64_t elements) const { return elements / width(operand); }
  mlir::Value base(unsigned operand) const { return bases[operand]; }
  /// Returns the address of row `row` + `further`, which must exist. If several rows are read together, the address is
  /// that of their group.
  mlir::Value rowAddress(unsigned operand, mlir::Value row, int64_t further = 0);
  /// Returns the address of the tile's row `row` + `further`, clamped to the last row.
  mlir::Value tileRowAddress(unsigned operand, mlir::Value row, int64_t further = 0);
  /// Returns the address of column 4 * quad + lane. If the operand is read several columns together, `quad` is the
  /// index of such a vector instead.
  mlir::Value columnAddress(unsigned operand, mlir::Value quad, unsigned lane);
  /// Returns the address of a step of the whole reduction. If the operand is read several steps together, `step` must
  /// be a multiple of its width.
  mlir::Value depthAddress(unsigned operand, mlir::Value step);
  /// Returns s if depthAddress(operand, step) is step * s; otherwise, returns `nullopt`.
  std::optional<int64_t> linearDepth(unsigned operand) const;

  /// Returns the contraction if it is a product of words, otherwise null.
  const WordProduct *wordProduct() const { return words; }
  /// True if depthAddress(operand, step) is no sum of a term for each loop.
  bool overlaps(unsigned operand) const { return words && operand == Contraction::Lhs && words->overlap; }
  /// True if the same is due to the depth loop `level`.
  bool overlaps(unsigned operand, unsigned level) const { return overlaps(operand) && words->overlap->level == level; }
  /// True if loadPair() can load Rhs. Its steps then come in pairs, and those of Lhs may be read two together.
  bool readsPairs() const { return pairs; }
  /// Loads four columns of Rhs for the two steps from `address` on.
  std::array<mlir::Value, 2> loadPair(mlir::Value address, mlir::Value quad);
  /// Returns the offset of iteration `index` of the depth loop `level`, which is counted in groups of `step`
  /// iterations.
  mlir::Value depthOffset(unsigned operand, unsigned level, mlir::Value index, int64_t step = 1);

  mlir::Value load(unsigned operand, mlir::Value address);
  /// Loads four columns of one row or step, for any reach. The last column stands for columns beyond it.
  mlir::Value loadQuad(unsigned operand, mlir::Value address, mlir::Value quad);
  /// Loads a step of the reduction by `load`. If `mayLieBeyond` is true, the value of a step beyond the last one is
  /// zero.
  mlir::Value loadStep(mlir::Value step, bool mayLieBeyond, llvm::function_ref<mlir::Value(mlir::Value)> load);
  /// The two halves of loadStep(). someStep() replaces a step beyond the last one by a valid step; zeroBeyond() then
  /// replaces its value by zero. The load can be in flight between the two calls.
  mlir::Value someStep(mlir::Value step);
  mlir::Value zeroBeyond(mlir::Value step, mlir::Value value);
  /// Returns `quads` quads of steps of the left operand from `step` on, which the source computes. If `mayLieBeyond` is
  /// true, the values of steps beyond the last one are zero.
  LeftSource::Values makeLeft(mlir::ValueRange row, mlir::Value step, int64_t quads, bool mayLieBeyond);
  /// Returns `quad`, the index of a vector of `width` columns, clamped to the last vector.
  mlir::Value clampedQuad(mlir::Value quad, int64_t width = 4);

  mlir::Type accumulator() const { return contraction.accumulatorType; }
  mlir::Type quadType() const { return mlir::VectorType::get({4}, accumulator()); }
  /// Returns `value` extended to the accumulator's type.
  mlir::Value extended(mlir::Value value);
  mlir::Value zeroQuad();
  /// Returns `sum` plus `left` times the quad `right`. `left` is an element or a quad. All have the accumulator's type.
  mlir::Value multiplyAdd(mlir::Value left, mlir::Value right, mlir::Value sum);
  /// Returns the sum of two values of the accumulator's type.
  mlir::Value sumOf(mlir::Value a, mlir::Value b);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// Returns a condition that is true if this tile writes `row`. Null if the tile writes all of its rows.
  mlir::Value writes(mlir::Value row);
  /// True if the tile may write some of the rows from `first` to `end`. Only valid after divideInto().
  mlir::Value writesAny(mlir::Value first, mlir::Value end) {
    return mlir::arith::AndIOp::create(build.ops, build.loc, build.isBelow(first, rowLimit),
                                       build.isBelow(writtenFrom, end));
  }
  /// Loads the epilogue's other operands for the four columns of `quad` in `row`, even if the tile does not write them.
  /// Callers may load them before the sum is finished.
  llvm::SmallVector<mlir::Value> loadForResult(mlir::Value row, mlir::Value quad);
  /// Finishes `sum`, which has the four columns of `quad` in `row`: applies the epilogue and stores the results. The
  /// tile must write this row.
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
  bool isOfWords(unsigned operand) const { return words && operand <= Contraction::Rhs; }
  mlir::Value loadJoined(unsigned argument, mlir::Value address);
  mlir::Value addressOf(unsigned operand, llvm::ArrayRef<ContractionLoop> loops, mlir::Value flat, int64_t step);
  llvm::ArrayRef<ContractionLoop> tiledRows() const;
  llvm::SmallVector<mlir::Value> applyEpilogue(mlir::Value sum, llvm::ArrayRef<mlir::Value> loaded);
  void store(unsigned result, mlir::Value value, mlir::Value row, mlir::Value quad);

  const std::optional<Panels> panels;
  const WordProduct *const words;
  const bool pairs;
  const int64_t grain;
  llvm::SmallVector<Reach, 6> reaches;
  llvm::SmallVector<unsigned, 6> widths;
  llvm::SmallVector<mlir::Value, 6> bases;
  bool exactColumns = false, exactRows = false;
  bool enoughRows = false;           ///< True if there are at least as many rows as in a tile.
  mlir::Value writtenFrom, rowLimit; ///< Range of the rows that the tile writes.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_CONTRACTIONGRID_H
