// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. the reduction; 2. the epilogue and the stores, from the registers.

#include "codegen/cpu/contraction/MicroTile.h"

#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/contraction/PanelColumns.h"
#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

/// Steps that the innermost loop takes at a time: a row's elements are loaded as a vector where they lie one after another
/// and the machine multiplies by an element.
int64_t turnOf(const MachineRow &machine, const LoopedContraction &contraction) {
  return contraction.depth.back().strides[Contraction::Lhs] == 1 ? stepsPerTurn(machine) : 1;
}

constexpr int64_t kLineBytes = 64;
/// Of a weight, more than is still in a cache from the last run.
constexpr int64_t kCachedBytes = 16 << 20;

class TileEmitter {
public:
  TileEmitter(VectorBuilder &build, const LoopedContraction &contraction, ArrayRef<Value> buffers, const Panel &panel,
              const DepthPart &part, const TileShape &shape, const Addresses &at)
      : build(build), contraction(contraction), buffers(buffers), panel(panel), part(part), shape(shape), at(at),
        lanes(shape.machine.lanes),
        vectorsOfPart(contraction.parts == 1 ? llvm::divideCeil(shape.columns, lanes) : panel.width / lanes),
        vectors(contraction.parts * vectorsOfPart), rowStrides(contraction.rows.back().strides),
        blocks(sumBlocksOf(shape.machine, contraction, part)),
        columns(build, shape.machine, panel.buffer, contraction.accumulatorType, vectors) {}

  void emit() {
    if (part.last)
      prefetch();
    Value lhs = at[Contraction::Lhs], rhs = at[Contraction::Rhs];
    if (blocks.divided) {
      if (part.first)
        storeSums(zeros());
      reduceBlocks(part.level, lhs, rhs);
      if (part.last)
        finish(loadSums());
      return;
    }
    SmallVector<Value> sums = reduce(part.level, part.steps, zeros(), lhs, rhs);
    if (!part.first)
      sums = addedToSums(sums);
    part.last ? finish(sums) : storeSums(sums);
  }

private:
  Piece wholeVector() const { return {0, lanes, lanes}; }

  Value addressOfSum(int64_t number) {
    return build.add(part.sumsAt, number / vectors * part.sumsStride + number % vectors * lanes);
  }

  SmallVector<Value> zeros() {
    return SmallVector<Value>(shape.rows * vectors,
                              build.floatConstant(0.0, vectorOf(contraction.accumulatorType, lanes)));
  }

  SmallVector<Value> loadSums() {
    SmallVector<Value> sums;
    for (int64_t number = 0; number < shape.rows * vectors; ++number)
      sums.push_back(build.load(part.sums, addressOfSum(number), wholeVector()));
    return sums;
  }

  void storeSums(ArrayRef<Value> sums) {
    for (auto [number, sum] : llvm::enumerate(sums))
      build.store(sum, part.sums, addressOfSum(number), wholeVector());
  }

  SmallVector<Value> addedToSums(ArrayRef<Value> sums) {
    SmallVector<Value> added;
    for (auto [sum, before] : llvm::zip_equal(sums, loadSums()))
      added.push_back(arith::AddFOp::create(build.ops, build.loc, before, sum));
    return added;
  }

  Value buffer(unsigned operand) const { return buffers[contraction.operands[operand].argument]; }

  /// Asks for the lines that the tile's end reads and writes. They lie far apart, in another row each, so that no
  /// hardware foresees them, and arrive during the reduction.
  void prefetch() {
    constexpr int64_t worthwhileDepth = 64;
    if (contraction.depthSize() < worthwhileDepth)
      return;
    for (unsigned operand = Contraction::Result; operand < contraction.operands.size(); ++operand) {
      if (rowStrides[operand] == 0 || contraction.columns.strides[operand] != 1)
        continue;
      const int64_t line = kLineBytes / bytesOfElement(contraction.operands[operand].elementType);
      for (int64_t row = 0; row < shape.rows; ++row)
        for (int64_t column = 0; column < shape.columns; column += line)
          memref::PrefetchOp::create(build.ops, build.loc, buffer(operand),
                                     build.add(rowAddress(at[operand], operand, row), column),
                                     /*isWrite=*/llvm::is_contained(contraction.results, operand), /*localityHint=*/3,
                                     /*isDataCache=*/true);
    }
  }

  /// Asks for what later steps read of a weight that comes from memory and is read once, into the second-level cache; behind
  /// a panel's end lies the next one. While columns are widened the hardware keeps up by itself.
  void prefetchPanel(Value rhs, int64_t steps) {
    const Type element = cast<MemRefType>(panel.buffer.getType()).getElementType();
    const int64_t bytes = bytesOfElement(element);
    const bool isLarge = contraction.depthSize() * contraction.columns.size * bytes >= kCachedBytes;
    if (!isLarge || !shapeOf(contraction).isSingleRow() || element != contraction.accumulatorType ||
        shape.machine.prefetchBytes == 0 || buffer(Contraction::Rhs) != panel.buffer)
      return;
    const int64_t ahead = shape.machine.prefetchBytes / bytes, end = steps * panel.strides.back();
    for (int64_t next = 0; next < end; next += kLineBytes / bytes)
      memref::PrefetchOp::create(build.ops, build.loc, panel.buffer, build.add(rhs, ahead + next), /*isWrite=*/false,
                                 /*localityHint=*/2, /*isDataCache=*/true);
  }

  //===--------------------------------------------------------------------===//
  // 1. The reduction
  //===--------------------------------------------------------------------===//

  int64_t sizeOf(unsigned level) const { return level == part.level ? part.steps : contraction.depth[level].size; }

  std::pair<Value, Value> advancedBy(unsigned level, Position step, Value lhs, Value rhs) {
    return {build.address({{lhs, 0}, step}, {1, contraction.depth[level].strides[Contraction::Lhs]}, 0),
            build.address({{rhs, 0}, step}, {1, panel.strides[level]}, 0)};
  }

  /// The whole part, block by block, into the sums in memory.
  void reduceBlocks(unsigned level, Value lhs, Value rhs) {
    const int64_t size = sizeOf(level);
    if (level < blocks.level)
      return build.loop(0, size, 1, [&](Position step) {
        auto [a, b] = advancedBy(level, step, lhs, rhs);
        reduceBlocks(level + 1, a, b);
      });
    auto block = [&](Position step, int64_t steps) {
      auto [a, b] = advancedBy(level, step, lhs, rhs);
      storeSums(addedToSums(reduce(level, steps, zeros(), a, b)));
    };
    const int64_t whole = size - size % blocks.steps;
    build.loop(0, whole, blocks.steps, [&](Position step) { block(step, blocks.steps); });
    if (whole < size)
      block({Value(), whole}, size - whole);
  }

  /// `size` steps of the loop `level`.
  SmallVector<Value> reduce(unsigned level, int64_t size, ValueRange accumulators, Value lhs, Value rhs) {
    auto addresses = [&](Position step) { return advancedBy(level, step, lhs, rhs); };
    if (level + 1 < contraction.depth.size())
      return build.loop(0, size, 1, accumulators, [&](Position step, ValueRange carried) {
        auto [a, b] = addresses(step);
        return reduce(level + 1, contraction.depth[level + 1].size, carried, a, b);
      });

    const int64_t turn = turnOf(shape.machine, contraction);
    const int64_t whole = size - size % turn;
    SmallVector<Value> sums = build.loop(0, whole, turn, accumulators, [&](Position step, ValueRange carried) {
      auto [a, b] = addresses(step);
      return multiplyAdd(carried, a, b, turn, turn);
    });
    if (whole == size)
      return sums;
    auto [a, b] = addresses({Value(), whole});
    return multiplyAdd(sums, a, b, size - whole, /*loadedAtOnce=*/1);
  }

  Value extend(Value value) {
    return getElementTypeOrSelf(value.getType()) == contraction.accumulatorType
               ? value
               : emitExtend(build, value, contraction.accumulatorType);
  }

  /// `steps` steps of the reduction, straight.
  SmallVector<Value> multiplyAdd(ValueRange accumulators, Value lhs, Value rhs, int64_t steps, int64_t loadedAtOnce) {
    SmallVector<Value> sums(accumulators);
    prefetchPanel(rhs, steps);
    const int64_t lhsStride = contraction.depth.back().strides[Contraction::Lhs], rhsStride = panel.strides.back();
    SmallVector<Value> rowVectors;
    if (loadedAtOnce > 1)
      for (int64_t row = 0; row < shape.rows; ++row)
        rowVectors.push_back(extend(build.load(buffer(Contraction::Lhs), rowAddress(lhs, Contraction::Lhs, row),
                                               {0, unsigned(loadedAtOnce), unsigned(loadedAtOnce)})));
    for (int64_t step = 0; step < steps; ++step) {
      auto element = [&](int64_t row) {
        Value scalar =
            loadedAtOnce > 1
                ? build.lane(rowVectors[row], step)
                : extend(build.loadScalar(buffer(Contraction::Lhs),
                                          build.add(rowAddress(lhs, Contraction::Lhs, row), step * lhsStride)));
        return build.broadcast(scalar, lanes);
      };
      Value columnsAt = build.add(rhs, step * rhsStride);
      auto accumulate = [&](int64_t row, int64_t vector, Value a, Value b) {
        Value &sum = sums[row * vectors + vector];
        sum = vector::FMAOp::create(build.ops, build.loc, a, b, sum);
      };
      // The fewer of the two stay in registers; the others pass one at a time.
      if (shape.rows >= vectors) {
        SmallVector<Value> all;
        while (int64_t(all.size()) < vectors)
          llvm::append_range(all, columns.load(columnsAt, all.size()));
        for (int64_t row = 0; row < shape.rows; ++row) {
          Value a = element(row);
          for (int64_t vector = 0; vector < vectors; ++vector)
            accumulate(row, vector, a, all[vector]);
        }
        continue;
      }
      SmallVector<Value> rows;
      for (int64_t row = 0; row < shape.rows; ++row)
        rows.push_back(element(row));
      for (int64_t vector = 0; vector < vectors;)
        for (Value b : columns.load(columnsAt, vector)) {
          for (int64_t row = 0; row < shape.rows; ++row)
            accumulate(row, vector, rows[row], b);
          ++vector;
        }
    }
    return sums;
  }

  Value rowAddress(Value address, unsigned operand, int64_t row) {
    return build.add(address, row * rowStrides[operand]);
  }

  //===--------------------------------------------------------------------===//
  // 2. Epilogue and stores
  //===--------------------------------------------------------------------===//

  void finish(SmallVector<Value> sums) {
    TileEpilogue epilogue(build, contraction, buffers, at);
    for (int64_t row = 0; row < shape.rows; ++row) {
      Distances distances;
      for (int64_t stride : rowStrides)
        distances.push_back(row * stride);
      columns.order(MutableArrayRef(sums).slice(row * vectors, vectors));
      for (int64_t vector = 0; vector < llvm::divideCeil(shape.columns, lanes); ++vector) {
        SmallVector<Value> ofParts;
        for (int64_t part = 0; part < contraction.parts; ++part)
          ofParts.push_back(sums[row * vectors + part * vectorsOfPart + vector]);
        const int64_t column = vector * lanes;
        epilogue.finish(ofParts, lanes, distances, column, std::min<int64_t>(lanes, shape.columns - column));
      }
    }
  }

  VectorBuilder &build;
  const LoopedContraction &contraction;
  ArrayRef<Value> buffers;
  const Panel &panel;
  const DepthPart &part;
  const TileShape &shape;
  const Addresses &at;
  const unsigned lanes;
  const int64_t vectorsOfPart, vectors;
  ArrayRef<int64_t> rowStrides;
  const SumBlocks blocks;
  PanelColumns columns;
};

} // namespace

SumBlocks sumBlocksOf(const MachineRow &machine, const LoopedContraction &contraction, const DepthPart &part) {
  SmallVector<int64_t> loops = {part.steps};
  for (const ContractionLoop &loop : llvm::drop_begin(contraction.depth, part.level + 1))
    loops.push_back(loop.size);
  SumBlocks blocks = chooseSumBlocks(loops, turnOf(machine, contraction));
  blocks.level += part.level;
  return blocks;
}

void emitTile(VectorBuilder &build, const LoopedContraction &contraction, ArrayRef<Value> buffers, const Panel &panel,
              const DepthPart &part, const TileShape &shape, const Addresses &at) {
  TileEmitter(build, contraction, buffers, panel, part, shape, at).emit();
}

} // namespace nacre::codegen::cpu
