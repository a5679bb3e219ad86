// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/panels/PanelWalk.h"

#include "codegen/cpu/tiles/TileTables.h"
#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {

Value allocateScratch(KernelFunction &function, VectorBuilder &build, int64_t count, Type type) {
  const uint64_t from = llvm::alignTo(function.scratchBytes, kLineBytes);
  function.scratchBytes = from + count * bytesOfElement(type);
  return memref::ViewOp::create(build.ops, build.loc, MemRefType::get({count}, type), function.scratch,
                                build.index(from), ValueRange());
}

namespace {

/// Range of a loop's iterations: the unit's range of the cut axis, or all iterations of any other loop.
struct Range {
  Value low, high; ///< Bounds of the range; null for all iterations
};

class WalkEmitter {
public:
  WalkEmitter(KernelFunction &function, VectorBuilder &build, const LoopedContraction &contraction,
              const PanelWalk &walk)
      : function(function), build(build), contraction(contraction), walk(walk),
        machine(machineOf(build.target, contraction, typeOf(walk.panel), walk.panel.width)), lanes(machine.step.lanes) {
    SmallVector<int64_t> loops;
    for (const ContractionLoop &loop : contraction.depth)
      loops.push_back(loop.size);
    depth = splitDepth(loops, elementsOfStep() * bytesOfElement(typeOf(walk.panel)), build.target.model.l1Bytes,
                       std::max<int64_t>(4, stepsOfLargeTiles(machine)));
    part.steps = loops.front();
    // A part of the innermost loop does not know whether it ends a run. The last group of a run may overlap the group
    // before it.
    if (contraction.groups.overlap() > 0 && depth.level > 0 && depth.level + 1 == loops.size())
      depth = {0, loops.front(), 1};
    if (!walk.addsToResult)
      return;
    part.sums = function.buffers[contraction.operands[Contraction::Result].argument];
    part.sumsStride = contraction.rows.back().strides[Contraction::Result];
    part.first = part.last = false;
    part.goesOn = walk.goesOn;
  }

  void emit(const Addresses &at) {
    bool divides = false;
    for (unsigned level = 0; level < contraction.rows.size(); ++level)
      divides |= dividesDepth(level);
    emitRows(0, at, {Value(), divides ? Value() : firstAhead(at)});
  }

private:
  using Cut = LoopedContraction::Cut;

  /// Addresses that depend on the index of a row in its unit: of its sums in memory, and of the elements that its tile
  /// prefetches. Null if there are no such sums or elements.
  struct PlacesOfRow {
    Value sums, ahead;
  };

  static Type typeOf(const Panel &panel) { return cast<MemRefType>(panel.buffer.getType()).getElementType(); }

  //===--------------------------------------------------------------------===//
  // 1. Parts of the reduction
  //===--------------------------------------------------------------------===//

  /// Returns the number of columns of a panel, in all parts of the product.
  int64_t columnsOfRow() const { return contraction.parts * walk.panel.width; }
  /// Returns how many sums of a row are in memory. If registers mix the sums of several rows, this is the number of
  /// sums in the row's registers.
  int64_t sumsOfRow() const { return columnsOfRow() * machine.step.rows * machine.step.sumsOfLane; }
  /// Returns the number of the panel's elements for one step of the innermost loop.
  int64_t elementsOfStep() const { return columnsOfRow() * contraction.groups.k; }

  bool isCut(unsigned level) const { return contraction.cut == Cut::Rows && contraction.cutLoop == level; }

  /// Returns the largest number of rows that a unit computes in the loops from `level` inwards.
  int64_t rowsFrom(unsigned level) const {
    int64_t rows = 1;
    for (; level < contraction.rows.size(); ++level)
      rows *= isCut(level) ? std::min(walk.cutMost * contraction.cutFactor, contraction.rows[level].size)
                           : contraction.rows[level].size;
    return rows;
  }

  /// True if all rows from `level` inwards are multiplied by one part of the panel after the other. There must be so
  /// many rows that storing sums in scratch is worthwhile, and so few that the sums fit the second-level cache. A
  /// product of several parts has wide steps, of which the cache holds few. Storing its sums would cost more than
  /// reading the panel again.
  bool dividesDepth(unsigned level) const {
    const int64_t rows = rowsFrom(level);
    const uint64_t sumBytes = bytesOfElement(contraction.accumulatorType);
    return depth.count > 1 && contraction.parts == 1 && !part.sums && rows >= leastRows &&
           rows * sumsOfRow() * sumBytes <= build.target.model.l2Bytes / 4;
  }

  void emitParts(unsigned level, const Addresses &at) {
    part.level = depth.level;
    part.steps = depth.steps;
    part.sumsStride = sumsOfRow();
    const int64_t sums = rowsFrom(level) * sumsOfRow();
    part.sums = allocateScratch(function, build, sums, contraction.accumulatorType);
    part.first = part.last = false;
    Value zero = build.constant(cast<TypedAttr>(build.ops.getZeroAttr(vectorOf(contraction.accumulatorType, lanes))));
    build.loop(0, sums, lanes, [&](Position position) {
      build.store(zero, part.sums, build.address({position}, {1}, 0), {0, lanes, lanes});
    });
    auto rowsOfPart = [&](Position number) {
      const Addresses there = atPart(at, number);
      emitRows(level, there, {firstSum(level), level == 0 ? firstAhead(there) : Value()});
    };
    build.loop(0, depth.count - 1, 1, rowsOfPart);

    const ContractionLoop &divided = contraction.depth[depth.level];
    const int64_t before = (llvm::divideCeil(divided.size, depth.steps) - 1) * depth.steps;
    part.steps = divided.size - before;
    part.last = true;
    rowsOfPart({Value(), depth.count - 1});
  }

  /// Returns the addresses of the reduction's operands at the part with the index `number`.
  Addresses atPart(const Addresses &at, Position number) {
    Addresses moved = at;
    Value left = build.address({number}, {1}, 0);
    for (unsigned level = depth.level + 1; level-- > 0;) {
      const ContractionLoop &loop = contraction.depth[level];
      const bool isDivided = level == depth.level;
      const int64_t iterations = isDivided ? llvm::divideCeil(loop.size, depth.steps) : loop.size;
      Value iteration = level == 0 ? left : build.remainder(left, iterations);
      const int64_t steps = isDivided ? depth.steps : 1;
      moved[Contraction::Lhs] =
          build.address({{moved[Contraction::Lhs], 0}, {iteration, 0}}, {1, steps * loop.strides[Contraction::Lhs]}, 0);
      moved[Contraction::Rhs] =
          build.address({{moved[Contraction::Rhs], 0}, {iteration, 0}}, {1, steps * walk.panel.strides[level]}, 0);
      left = build.divide(left, iterations);
    }
    return moved;
  }

  /// Returns the address of the row loops' first iteration in a buffer with `stride` elements for each row. It is
  /// before the buffer if the unit's rows begin later.
  Value firstOfRows(unsigned level, int64_t stride) {
    if (contraction.cut != Cut::Rows || contraction.cutLoop < level)
      return build.index(0);
    return build.scaled(walk.cutLow, -contraction.cutFactor * rowsFrom(contraction.cutLoop + 1) * stride);
  }

  Value firstSum(unsigned level) { return firstOfRows(level, sumsOfRow()); }

  /// Returns the number of steps in the current part.
  int64_t stepsOfPart() const {
    int64_t steps = part.steps;
    for (const ContractionLoop &loop : llvm::drop_begin(contraction.depth, part.level + 1))
      steps *= loop.size;
    return steps;
  }

  /// Returns how many elements of the next part one row prefetches, so that all rows together prefetch the whole part.
  int64_t aheadOfRow() const { return llvm::divideCeil(stepsOfPart() * elementsOfStep(), rowsFrom(0)); }

  /// Returns the address of the elements that the first row prefetches while the panel at `at` is in use: the next part
  /// or the next panel. Null if prefetching is not worthwhile: the first of many tiles can wait for its columns, or the
  /// second-level cache has no room yet.
  Value firstAhead(const Addresses &at) {
    constexpr int64_t mostRows = 1024, leastBytes = 4096;
    const int64_t elements = stepsOfPart() * elementsOfStep(), bytes = elements * bytesOfElement(typeOf(walk.panel));
    if (!walk.followed || machine.memory.prefetchBytes == 0 || rowsFrom(0) == 1 || rowsFrom(0) > mostRows ||
        bytes < leastBytes || uint64_t(bytes) > build.target.model.l2Bytes / 4)
      return {};
    return build.add(build.sum(at[Contraction::Rhs], firstOfRows(0, aheadOfRow())), elements);
  }

  //===--------------------------------------------------------------------===//
  // 2. Rows
  //===--------------------------------------------------------------------===//

  Range rangeOfRows(unsigned level) {
    if (!isCut(level))
      return {};
    return {build.scaled(walk.cutLow, contraction.cutFactor), build.scaled(walk.cutHigh, contraction.cutFactor)};
  }

  void emitRows(unsigned level, const Addresses &at, const PlacesOfRow &places) {
    if (dividesDepth(level))
      return emitParts(level, at);
    if (level + 1 == contraction.rows.size())
      return emitRun(at, places);
    auto body = [&](Position index) {
      emitRows(level + 1, advanced(build, at, contraction.rows[level], index), advancedPlaces(places, level, index));
    };
    Range range = rangeOfRows(level);
    range.low ? build.loop(range.low, range.high, 1, body) : build.loop(0, contraction.rows[level].size, 1, body);
  }

  PlacesOfRow advancedPlaces(const PlacesOfRow &places, unsigned level, Position index) {
    auto moved = [&](Value place, int64_t stride) {
      return place ? build.address({{place, 0}, index}, {1, rowsFrom(level + 1) * stride}, 0) : place;
    };
    return {moved(places.sums, sumsOfRow()), moved(places.ahead, aheadOfRow())};
  }

  void emitRun(const Addresses &at, const PlacesOfRow &places) {
    const unsigned level = contraction.rows.size() - 1;
    const ContractionLoop &run = contraction.rows[level];
    // If the product has several parts, all columns of the panel are computed, because the parts lie side by side.
    const int64_t vectors = contraction.parts == 1 ? llvm::divideCeil(walk.columns, lanes) : columnsOfRow() / lanes;
    const int64_t steps = contraction.depthSize() / depth.count;
    const int64_t most = mostRows(machine, shapeOf(contraction), walk.columns);
    // If the tile has blocks or matrices and the depth is not divided, only the sums of one tile are in memory at a
    // time.
    Value ownSums;
    if (!part.sums && (machine.isOfMatrices() || sumBlocksOf(machine, contraction, part).divided))
      ownSums = allocateScratch(function, build, most * sumsOfRow(), contraction.accumulatorType);
    auto tile = [&](int64_t rows, Position row) {
      const Addresses here = advanced(build, at, run, row);
      DepthPart tilePart = part;
      const PlacesOfRow ofTile = advancedPlaces(places, level, row);
      tilePart.sumsAt = walk.addsToResult ? here[Contraction::Result] : ofTile.sums;
      tilePart.ahead = ofTile.ahead;
      tilePart.aheadStride = llvm::divideCeil(rows * aheadOfRow(), stepsOfPart());
      if (ownSums) {
        tilePart.sums = ownSums;
        tilePart.sumsAt = build.index(0);
        tilePart.sumsStride = sumsOfRow();
      }
      emitTile(build, contraction, function.buffers, walk.panel, tilePart, {rows, walk.columns, machine}, here);
    };
    Range range = rangeOfRows(level);
    if (!range.low) {
      RunSplit split = splitRun(machine, run.size, vectors, steps, most);
      int64_t row = split.count * split.rows;
      build.loop(0, row, split.rows, [&](Position at) { tile(split.rows, at); });
      for (int64_t rows : split.tail) {
        tile(rows, {Value(), row});
        row += rows;
      }
      return;
    }

    // A share may end anywhere. So emit tiles for whole blocks, then for the remainder of one, then single rows.
    const int64_t block = std::min(walk.cutExtent * contraction.cutFactor, run.size);
    RunSplit split = splitRun(machine, block, vectors, steps, most, /*greedy=*/true);
    SmallVector<int64_t> sizes(split.tail.begin(), split.tail.end());
    // A tail tile with more rows takes the remainder and the last of the other tiles.
    const int64_t higher = !sizes.empty() && sizes.front() > split.rows ? sizes.front() : 0;
    sizes.append({split.rows, run.size % block % split.rows, 1});
    llvm::sort(sizes,
               [&](int64_t a, int64_t b) { return (a == split.rows) != (b == split.rows) ? a == split.rows : a > b; });
    sizes.erase(llvm::unique(sizes), sizes.end());
    Value row = range.low;
    for (int64_t rows : sizes) {
      if (rows == 0)
        continue;
      Value left = arith::SubIOp::create(build.ops, build.loc, range.high, row);
      Value rest = build.remainder(left, rows);
      if (rows == split.rows && higher)
        rest = restOfHigherTail(left, rest, higher, rows);
      Value end = build.sum(row, arith::SubIOp::create(build.ops, build.loc, left, rest));
      build.loop(row, end, rows, [&](Position at) { tile(rows, at); });
      row = end;
    }
  }

  /// Returns the rows left after tiles of `rows` rows: `higher` if one tile of that height follows. Otherwise, smaller
  /// tiles compute the `rest` rows.
  Value restOfHigherTail(Value left, Value rest, int64_t higher, int64_t rows) {
    auto is = [&](arith::CmpIPredicate predicate, Value value, int64_t than) -> Value {
      return arith::CmpIOp::create(build.ops, build.loc, predicate, value, build.index(than));
    };
    Value fits = arith::AndIOp::create(build.ops, build.loc, is(arith::CmpIPredicate::eq, rest, higher % rows),
                                       is(arith::CmpIPredicate::uge, left, higher));
    return arith::SelectOp::create(build.ops, build.loc, fits, build.index(higher), rest);
  }

  /// Smallest number of rows for which dividing the depth is faster. Without parts, each tile of rows reads the whole
  /// panel again.
  static constexpr int64_t leastRows = 24;

  KernelFunction &function;
  VectorBuilder &build;
  const LoopedContraction &contraction;
  const PanelWalk &walk;
  const MachineRow &machine;
  const unsigned lanes;
  DepthSplit depth;
  DepthPart part; ///< Part that tiles compute at present
};

} // namespace

void emitPanelWalk(KernelFunction &function, VectorBuilder &build, const LoopedContraction &contraction,
                   const PanelWalk &walk, const Addresses &at) {
  WalkEmitter(function, build, contraction, walk).emit(at);
}

} // namespace nacre::codegen::cpu
