// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the emitter of matmuls and convolutions: register tiles over packed panels of columns.
// Why:   models spend their time here; written directly, it reaches the machine's multiply-add peak.
// How:   1. divide the cut axis into blocks, and a block into parts: batches, groups and panels;
//        2. a unit is one part of one block: it walks the block's rows with one panel;
//        3. a panel that is no packed weight is first packed into scratch;
//        4. a panel deeper than the first-level cache is walked in parts, sums waiting in scratch between them;
//        5. runs of rows are cut into tiles (TileTables.h), each of which MicroTile.h computes.

#include "codegen/cpu/EmitDepthwise.h"
#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/MicroTile.h"
#include "codegen/cpu/TileTables.h"
#include "codegen/cpu/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

/// Indices of a loop: of the cut axis's, what the unit has of them; of any other, all.
struct Range {
  Value low, high; ///< Null where all.
};

class ContractionEmitter {
public:
  ContractionEmitter(KernelFunction &function, const Contraction &contraction)
      : function(function), build(function), contraction(contraction),
        lanes(build.target.lanes(contraction.accumulatorType.getIntOrFloatBitWidth() / 8)) {}

  void emit() {
    divide();
    build.loop(function.begin, function.end, 1, [&](Position unit) { emitUnit(unit.counter); });
  }

private:
  using Cut = Contraction::Cut;

  //===--------------------------------------------------------------------===//
  // 1. Units
  //===--------------------------------------------------------------------===//

  int64_t panels() const { return llvm::divideCeil(contraction.columns.size, width); }

  /// Rows that one index of the cut axis stands for.
  int64_t rowsPerIndex() const {
    if (contraction.cut != Cut::Rows)
      return 1;
    int64_t rows = contraction.cutFactor;
    for (const ContractionLoop &loop : llvm::drop_begin(contraction.rows, contraction.cutLoop + 1))
      rows *= loop.size;
    return rows;
  }

  void divide() {
    const ContractionShape shape = shapeOf(contraction);
    width = contraction.panelWidth ? contraction.panelWidth : choosePanelWidth(build.target.isa, shape, lanes);

    parts = contraction.cut == Cut::Columns ? 1 : panels();
    for (auto [number, loop] : llvm::enumerate(contraction.outer))
      if (contraction.cut != Cut::Outer || contraction.cutLoop != number)
        parts *= loop.size;

    const unsigned lhsBytes = contraction.operands[Contraction::Lhs].elementType.getIntOrFloatBitWidth() / 8;
    switch (contraction.cut) {
    case Cut::None:
      extent = contraction.cutExtent;
      break;
    case Cut::Outer:
      extent = 1;
      break;
    case Cut::Columns:
      extent = width;
      break;
    case Cut::Rows: {
      CutShape cut;
      cut.extent = contraction.cutExtent;
      cut.rowsPerIndex = rowsPerIndex();
      cut.bytesPerIndex =
          contraction.rows[contraction.cutLoop].strides[Contraction::Lhs] * contraction.cutFactor * lhsBytes;
      cut.parts = parts;
      const int64_t tile =
          splitRun(build.target.isa, shape.rows, llvm::divideCeil(std::min(width, shape.columns), lanes), shape.depth,
                   mostRows(build.target.isa, shape.rowBytes))
              .rows;
      // A panel that is packed by each unit wants as many rows as there are.
      extent = contraction.panelWidth ? chooseBlock(cut, tile, build.target.l2Bytes) : cut.extent;
      break;
    }
    }

    SmallVector<int64_t> loops;
    for (const ContractionLoop &loop : contraction.depth)
      loops.push_back(loop.size);
    const Type panelType =
        contraction.panelWidth ? contraction.operands[Contraction::Rhs].elementType : contraction.accumulatorType;
    depth = splitDepth(loops, width * panelType.getIntOrFloatBitWidth() / 8, build.target.l1Bytes);

    function.unitExtent = extent;
    function.unitsPerBlock = parts;
    function.flops = 2 * contraction.multiplyAdds();
    estimate();
  }

  /// Nanoseconds of a unit, by what it computes or by the columns it reads.
  void estimate() {
    const double units = double(llvm::divideCeil(contraction.cutExtent, extent)) * parts;
    const double flopsPerNanosecond = 4.0 * lanes * 2.5;
    const double panelBytes = double(contraction.depthSize()) * width * 4;
    constexpr double bytesPerNanosecond = 12;
    function.unitCost = std::max(function.flops / units / flopsPerNanosecond, panelBytes / bytesPerNanosecond);
  }

  Value divided(Value value, int64_t by) {
    return by == 1 ? value : arith::DivUIOp::create(build.ops, build.loc, value, build.index(by)).getResult();
  }
  Value remainder(Value value, int64_t by) {
    return by == 1 ? build.index(0) : arith::RemUIOp::create(build.ops, build.loc, value, build.index(by)).getResult();
  }
  Value scaled(Value value, int64_t by) { return build.address({{value, 0}}, {by}, 0); }
  Value sum(Value a, Value b) { return build.address({{a, 0}, {b, 0}}, {1, 1}, 0); }
  Value least(Value a, Value b) { return arith::MinUIOp::create(build.ops, build.loc, a, b); }

  void emitUnit(Value unit) {
    Value low = sum(function.shareBegin, scaled(divided(unit, parts), extent));
    cut = {low, least(build.add(low, extent), function.shareEnd)};
    Value part = remainder(unit, parts);
    if (contraction.written->haloValue)
      emitHaloOfBlock(part);

    Addresses at;
    for (const ContractionOperand &operand : contraction.operands)
      at.push_back(build.index(operand.offset));
    Value panel;
    if (contraction.cut != Cut::Columns) {
      panel = remainder(part, panels());
      part = divided(part, panels());
    }
    for (unsigned number = contraction.outer.size(); number-- > 0;) {
      const ContractionLoop &loop = contraction.outer[number];
      if (contraction.cut == Cut::Outer && contraction.cutLoop == number)
        continue;
      at = advanced(at, loop, {remainder(part, loop.size), 0});
      part = divided(part, loop.size);
    }
    switch (contraction.cut) {
    case Cut::Outer: {
      const ContractionLoop &loop = contraction.outer[contraction.cutLoop];
      build.loop(scaled(cut.low, contraction.cutFactor), scaled(cut.high, contraction.cutFactor), 1,
                 [&](Position index) { emitPanel(panel, advanced(at, loop, index)); });
      break;
    }
    case Cut::Columns:
      build.loop(divided(cut.low, width), divided(build.add(cut.high, width - 1), width), 1,
                 [&](Position index) { emitPanel(index.counter, at); });
      break;
    case Cut::None:
    case Cut::Rows:
      emitPanel(panel, at);
      break;
    }
  }

  /// The halo around a block is its first part's.
  void emitHaloOfBlock(Value part) {
    Value isFirst = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::eq, part, build.index(0));
    auto branch = scf::IfOp::create(build.ops, build.loc, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(branch.thenBlock());
    emitHalo(build, function.buffers[contraction.written->place.argument], *contraction.written, contraction.cutAxis,
             cut.low, cut.high);
  }

  Addresses advanced(const Addresses &at, const ContractionLoop &loop, Position index) {
    Addresses moved;
    for (auto [address, stride] : llvm::zip_equal(at, loop.strides))
      moved.push_back(build.address({{address, 0}, index}, {1, stride}, 0));
    return moved;
  }

  //===--------------------------------------------------------------------===//
  // 2. and 3. A panel
  //===--------------------------------------------------------------------===//

  void emitPanel(Value number, Addresses at) {
    const int64_t full = contraction.columns.size / width, tail = contraction.columns.size % width;
    for (auto [operand, address] : llvm::enumerate(at)) {
      const bool packed = operand == Contraction::Rhs && contraction.panelWidth;
      const int64_t stride = packed ? contraction.panelStride : contraction.columns.strides[operand] * width;
      address = build.address({{address, 0}, {number, 0}}, {1, stride}, 0);
    }
    auto emitColumns = [&](int64_t columns) {
      Addresses tileAt = at;
      Panel panel = contraction.panelWidth ? weightPanel() : packPanel(columns, tileAt);
      walk = {columns, panel, wholeDepth()};
      emitRows(0, tileAt, Value());
    };
    if (full == 0 || tail == 0)
      return emitColumns(full == 0 ? tail : width);
    Value isFull = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::ult, number, build.index(full));
    auto either = scf::IfOp::create(build.ops, build.loc, isFull, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(either.thenBlock());
    emitColumns(width);
    build.ops.setInsertionPointToStart(either.elseBlock());
    emitColumns(tail);
  }

  Panel weightPanel() const {
    Panel panel;
    panel.buffer = function.buffers[contraction.operands[Contraction::Rhs].argument];
    for (const ContractionLoop &loop : contraction.depth)
      panel.strides.push_back(loop.strides[Contraction::Rhs]);
    return panel;
  }

  /// Copies `columns` columns at `at` into scratch, as a packed weight's panel would be; moves Rhs there.
  Panel packPanel(int64_t columns, Addresses &at) {
    Panel panel;
    panel.strides.resize(contraction.depth.size());
    int64_t stride = width;
    for (unsigned level = contraction.depth.size(); level-- > 0; stride *= contraction.depth[level].size)
      panel.strides[level] = stride;
    panel.buffer = scratchAt(0, stride);
    scratchOfPanel = stride;
    packColumns(0, columns, panel, at[Contraction::Rhs], build.index(0));
    at[Contraction::Rhs] = build.index(0);
    return panel;
  }

  void packColumns(unsigned level, int64_t columns, const Panel &panel, Value from, Value to) {
    if (level < contraction.depth.size()) {
      const ContractionLoop &loop = contraction.depth[level];
      build.loop(0, loop.size, 1, [&](Position step) {
        packColumns(level + 1, columns, panel, build.address({{from, 0}, step}, {1, loop.strides[Contraction::Rhs]}, 0),
                    build.address({{to, 0}, step}, {1, panel.strides[level]}, 0));
      });
      return;
    }
    const ContractionOperand &rhs = contraction.operands[Contraction::Rhs];
    const int64_t stride = contraction.columns.strides[Contraction::Rhs];
    Value buffer = function.buffers[rhs.argument];
    // Lanes beyond the columns keep what was there: their products are never stored.
    for (const Piece &piece :
         cutIntoPieces(columns, lanes, hasMasks(build.target, rhs.elementType.getIntOrFloatBitWidth()))) {
      Value address = build.add(from, piece.offset * stride);
      Value values =
          stride == 1 ? build.load(buffer, address, piece) : build.loadStrided(buffer, address, stride, piece);
      if (rhs.elementType != contraction.accumulatorType)
        values = emitExtend(build, values, contraction.accumulatorType);
      build.store(values, panel.buffer, build.add(to, piece.offset), piece);
    }
  }

  /// `count` accumulators behind the first `offset` of scratch.
  Value scratchAt(int64_t offset, int64_t count) {
    const unsigned bytes = contraction.accumulatorType.getIntOrFloatBitWidth() / 8;
    constexpr uint64_t lineBytes = 64;
    const uint64_t from = llvm::alignTo(offset * bytes, lineBytes);
    function.scratchBytes = std::max<uint64_t>(function.scratchBytes, from + count * bytes);
    return memref::ViewOp::create(build.ops, build.loc, MemRefType::get({count}, contraction.accumulatorType),
                                  function.scratch, build.index(from), ValueRange());
  }

  //===--------------------------------------------------------------------===//
  // 4. Parts of the reduction
  //===--------------------------------------------------------------------===//

  DepthPart wholeDepth() const {
    DepthPart part;
    part.steps = contraction.depth.front().size;
    return part;
  }

  bool isCut(unsigned level) const { return contraction.cut == Cut::Rows && contraction.cutLoop == level; }

  /// Rows from `level` inwards that a unit computes, at most.
  int64_t rowsFrom(unsigned level) const {
    int64_t rows = 1;
    for (; level < contraction.rows.size(); ++level)
      rows *= isCut(level) ? std::min(extent * contraction.cutFactor, contraction.rows[level].size)
                           : contraction.rows[level].size;
    return rows;
  }

  /// Whether the rows from `level` inwards go by the panel part by part: enough of them to pay for the sums' way to
  /// scratch and back, few enough that the sums stay in the second-level cache.
  bool dividesDepth(unsigned level) {
    const int64_t rows = rowsFrom(level);
    const uint64_t sumBytes = contraction.accumulatorType.getIntOrFloatBitWidth() / 8;
    return depth.count > 1 && !walk.part.sums && rows >= leastRows &&
           rows * width * sumBytes <= build.target.l2Bytes / 4;
  }

  void emitParts(unsigned level, const Addresses &at) {
    DepthPart part;
    part.level = depth.level;
    part.steps = depth.steps;
    part.sumsStride = width;
    const int64_t sums = rowsFrom(level) * width;
    part.sums = scratchAt(scratchOfPanel, sums);
    part.last = false;
    Value zero = build.floatConstant(0.0, vectorOf(contraction.accumulatorType, lanes));
    build.loop(0, sums, lanes, [&](Position position) {
      build.store(zero, part.sums, build.address({position}, {1}, 0), {0, lanes, lanes});
    });
    walk.part = part;
    build.loop(0, depth.count - 1, 1, [&](Position number) { emitRows(level, atPart(at, number), firstSum(level)); });

    const ContractionLoop &divided = contraction.depth[depth.level];
    const int64_t before = (llvm::divideCeil(divided.size, depth.steps) - 1) * depth.steps;
    walk.part.steps = divided.size - before;
    walk.part.last = true;
    emitRows(level, atPart(at, {Value(), depth.count - 1}), firstSum(level));
  }

  /// Where the operands of the reduction stand at the part of that number.
  Addresses atPart(const Addresses &at, Position number) {
    Addresses moved = at;
    Value left = build.address({number}, {1}, 0);
    for (unsigned level = depth.level + 1; level-- > 0;) {
      const ContractionLoop &loop = contraction.depth[level];
      const bool isDivided = level == depth.level;
      const int64_t turns = isDivided ? llvm::divideCeil(loop.size, depth.steps) : loop.size;
      Value turn = level == 0 ? left : remainder(left, turns);
      const int64_t steps = isDivided ? depth.steps : 1;
      moved[Contraction::Lhs] =
          build.address({{moved[Contraction::Lhs], 0}, {turn, 0}}, {1, steps * loop.strides[Contraction::Lhs]}, 0);
      moved[Contraction::Rhs] =
          build.address({{moved[Contraction::Rhs], 0}, {turn, 0}}, {1, steps * walk.panel.strides[level]}, 0);
      left = divided(left, turns);
    }
    return moved;
  }

  /// Sums of one index of the row loop.
  int64_t sumsStride(unsigned level) const { return rowsFrom(level + 1) * width; }

  /// Where the sums of the row loops' first turn would wait: before the buffer if the unit's rows begin further on.
  Value firstSum(unsigned level) {
    if (contraction.cut != Cut::Rows || contraction.cutLoop < level)
      return build.index(0);
    return scaled(cut.low, -contraction.cutFactor * sumsStride(contraction.cutLoop));
  }

  //===--------------------------------------------------------------------===//
  // 5. Rows
  //===--------------------------------------------------------------------===//

  Range rangeOfRows(unsigned level) {
    if (!isCut(level))
      return {};
    return {scaled(cut.low, contraction.cutFactor), scaled(cut.high, contraction.cutFactor)};
  }

  void emitRows(unsigned level, const Addresses &at, Value sums) {
    if (dividesDepth(level))
      return emitParts(level, at);
    if (level + 1 == contraction.rows.size())
      return emitRun(at, sums);
    auto body = [&](Position index) {
      emitRows(level + 1, advanced(at, contraction.rows[level], index), advancedSums(sums, level, index));
    };
    Range range = rangeOfRows(level);
    range.low ? build.loop(range.low, range.high, 1, body) : build.loop(0, contraction.rows[level].size, 1, body);
  }

  Value advancedSums(Value sums, unsigned level, Position index) {
    return sums ? build.address({{sums, 0}, index}, {1, sumsStride(level)}, 0) : sums;
  }

  void emitRun(const Addresses &at, Value sums) {
    const unsigned level = contraction.rows.size() - 1;
    const ContractionLoop &run = contraction.rows[level];
    const int64_t vectors = llvm::divideCeil(walk.columns, lanes), steps = contraction.depthSize() / depth.count;
    const int64_t most = mostRows(build.target.isa, shapeOf(contraction).rowBytes);
    auto tile = [&](int64_t rows, Position row) {
      DepthPart part = walk.part;
      part.sumsAt = advancedSums(sums, level, row);
      emitTile(build, contraction, function.buffers, walk.panel, part, {rows, walk.columns, lanes},
               advanced(at, run, row));
    };
    Range range = rangeOfRows(level);
    if (!range.low) {
      RunSplit split = splitRun(build.target.isa, run.size, vectors, steps, most);
      int64_t row = split.count * split.rows;
      build.loop(0, row, split.rows, [&](Position at) { tile(split.rows, at); });
      for (int64_t rows : split.tail) {
        tile(rows, {Value(), row});
        row += rows;
      }
      return;
    }

    // A share may end anywhere: tiles for whole blocks, for what is left of one, then single rows.
    const int64_t block = std::min(extent * contraction.cutFactor, run.size);
    RunSplit split = splitRun(build.target.isa, block, vectors, steps, most, /*greedy=*/true);
    SmallVector<int64_t> sizes(split.tail.begin(), split.tail.end());
    sizes.append({split.rows, run.size % block % split.rows, 1});
    llvm::sort(sizes, std::greater<>());
    sizes.erase(llvm::unique(sizes), sizes.end());
    Value row = range.low;
    for (int64_t rows : sizes) {
      if (rows == 0)
        continue;
      Value left = arith::SubIOp::create(build.ops, build.loc, range.high, row);
      Value end = sum(row, arith::SubIOp::create(build.ops, build.loc, left, remainder(left, rows)));
      build.loop(row, end, rows, [&](Position at) { tile(rows, at); });
      row = end;
    }
  }

  /// Rows that pay for parts: a panel is read again by each tile of them.
  static constexpr int64_t leastRows = 24;

  /// One panel's walk over the rows.
  struct Walk {
    int64_t columns = 1;
    Panel panel;
    DepthPart part;
  };

  KernelFunction &function;
  VectorBuilder build;
  const Contraction &contraction;
  const unsigned lanes;
  int64_t width = 0;  ///< Of a panel.
  int64_t extent = 1; ///< Of a block.
  int64_t parts = 1;  ///< Units of a block.
  DepthSplit depth;
  Range cut; ///< The unit's indices of the cut axis.
  Walk walk;
  int64_t scratchOfPanel = 0; ///< Accumulators' worth of scratch that a packed panel takes.
};

} // namespace

LogicalResult nacre::codegen::cpu::emitContraction(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form))
    return failure();
  FailureOr<Contraction> contraction = parseContraction(kernel, *form);
  if (failed(contraction))
    return failure();
  if (contraction->depthwise)
    emitDepthwise(function, *contraction);
  else
    ContractionEmitter(function, *contraction).emit();
  return success();
}
