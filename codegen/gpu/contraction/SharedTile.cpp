// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits a tile of a contraction whose operands are in shared memory.
// Why:   each workgroup reads each element of its operands once from memory. Desktop GPUs need this to reach their
//        peak.
// How:   1. each operand has two buffers. One is filled while the other one is used;
//        2. the next part is loaded to registers while this one is used, so there is one barrier per part. With two
//           parts per iteration, the buffer is known at compile time, which small groups of invocations need;
//        3. groups of 32 invocations are 8 columns wide and 4 rows high. Two adjacent invocations share a column, and
//           two adjacent pairs share a row. GPUs read such shared elements once;
//        4. if there are too few tiles to fill the GPU, sets of invocations each compute some of a part's steps. They
//           add up their sums in shared memory.

#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/contraction/Templates.h"
#include "codegen/gpu/contraction/TileLoader.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

constexpr int64_t kLanes = 32, kLaneColumns = 8, kLaneRows = 4;

SharedLayout layoutOf(const ContractionGrid &grid, const GpuTile::Shared &tile) {
  SharedLayout layout;
  layout.rows = tile.tileRows();
  layout.columns = tile.tileColumns();
  layout.depth = tile.depth;
  layout.leftPitch = sharedRowQuads(tile.depth);
  layout.rightPitch = tile.tileColumns() / 4;
  if (grid.reach(Contraction::Rhs) ==
      Reach::Depth) // Adjacent invocations then store to several lines, which must be in different banks.
    ++layout.rightPitch;
  layout.buffers = 2;
  layout.leftType = storedType(grid.contraction.leftType());
  layout.rightType = storedType(grid.contraction.rightType());
  return layout;
}

class SharedTile {
public:
  SharedTile(ContractionGrid &grid, const GpuTile::Shared &tile)
      : grid(grid), build(grid.build), tile(tile), layout(layoutOf(grid, tile)),
        loader(grid, layout, tile.invocations()), setSize(tile.columnThreads * tile.rowThreads) {
    assert(tile.columnThreads % kLaneColumns == 0 && tile.rowThreads % kLaneRows == 0 && "whole groups of lanes");
    assert(tile.depth % (4 * tile.parts) == 0 && "sets share steps evenly");
    set = build.divide(grid.function.invocation, setSize);
    me = build.remainder(grid.function.invocation, setSize);
    Value lane = build.remainder(me, kLanes), warp = build.divide(me, kLanes);
    const int64_t warpColumns = tile.columnThreads / kLaneColumns;
    // The rows of a lane are kLaneRows apart, its quads kLaneColumns. The lowest bit of the lane selects the row,
    // the next three bits the column, and the highest bit again the row.
    Value laneColumn = build.remainder(build.divide(lane, 2), kLaneColumns);
    Value laneRow = build.add(build.remainder(lane, 2), build.multiply(build.divide(lane, 2 * kLaneColumns), 2));
    myRow = build.add(build.multiply(build.divide(warp, warpColumns), kLaneRows * tile.rows), laneRow);
    myQuad = build.add(build.multiply(build.remainder(warp, warpColumns), kLaneColumns * tile.quads), laneColumn);
  }

  void emit() {
    SmallVector<Loaded> early; // If few registers suffice, these loads are in flight from the beginning.
    if (tile.parts > 1 && llvm::divideCeil(tile.rows, tile.parts) * tile.quads <= 2)
      early = loadForRows(0, tile.rows);
    loader.store(loader.loadFirst(), build.constant(0));
    mlir::gpu::BarrierOp::create(build.ops, build.loc);
    SmallVector<Value> results(tile.rows * tile.quads, grid.zeroQuad());
    if (loader.parts() == 1) // No other part follows.
      results = multiplyPart(build.constant(0), results);
    else
      results = multiplyAll(std::move(results));
    if (tile.parts > 1)
      return finishTogether(results, early);
    for (int64_t i = 0; i < tile.rows; ++i)
      finishRow(build.constant(i), ArrayRef(results).slice(i * tile.quads, tile.quads), loadForRow(build.constant(i)));
  }

private:
  /// Multiplies all parts. Meanwhile, the loads of the next `ahead` parts are in flight. After each part, the next one
  /// is stored to the other buffer.
  SmallVector<Value> multiplyAll(SmallVector<Value> carried) {
    const size_t sums = carried.size();
    for (int64_t part = 1; part < tile.ahead; ++part)
      carried.append(loader.load(loader.partAfter(build.constant(0), part)));
    auto emitPart = [&](Value part, Value buffer, Value nextBuffer, SmallVector<Value> current) {
      SmallVector<Value> waiting(ArrayRef<Value>(current).drop_front(sums));
      const SmallVector<Value> last = loader.load(loader.partAfter(part, tile.ahead));
      waiting.append(last);
      current.truncate(sums);
      current = multiplyPart(buffer, std::move(current));
      loader.store(ArrayRef<Value>(waiting).take_front(last.size()), nextBuffer);
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      llvm::append_range(current, ArrayRef<Value>(waiting).drop_front(last.size()));
      return current;
    };
    carried = loader.forEachPart(loader.parts(), tile.unroll, std::move(carried), emitPart);
    carried.truncate(sums);
    return carried;
  }

  /// Inputs of the epilogue, for each quad of a row.
  using Loaded = SmallVector<SmallVector<Value>>;

  Value rowAt(Value number) { return build.add(build.add(grid.firstRow, myRow), build.multiply(number, kLaneRows)); }
  Value quadAt(int64_t number) { return build.add(build.add(grid.firstQuad, myQuad), number * kLaneColumns); }

  Loaded loadForRow(Value number) {
    Loaded loaded;
    for (int64_t j = 0; j < tile.quads; ++j)
      loaded.push_back(grid.loadForResult(rowAt(number), quadAt(j)));
    return loaded;
  }

  /// Loads the epilogue's inputs of the rows that this set finishes.
  SmallVector<Loaded> loadForRows(int64_t first, int64_t rows) {
    SmallVector<Loaded> loaded;
    for (int64_t i = 0; i < rows; i += tile.parts)
      loaded.push_back(loadForRow(build.least(build.add(set, first + i), build.constant(first + rows - 1))));
    return loaded;
  }

  void finishRow(Value number, ValueRange sums, const Loaded &loaded) {
    Value row = rowAt(number);
    build.onlyIf(grid.writes(row), [&] {
      for (int64_t j = 0; j < tile.quads; ++j)
        grid.finish(sums[j], row, quadAt(j), loaded[j]);
    });
  }

  /// Returns shared memory for the sums of all sets, and the number of rows for which it has room. It is the memory of
  /// an operand, if that is large enough.
  std::pair<Value, int64_t> roomForSums() {
    const int64_t need = tile.quads * tile.parts * setSize;
    std::pair<Value, int64_t> best = {Value(), 0};
    for (auto [array, size] : {std::pair<Value, int64_t>{loader.left, layout.buffers * layout.leftChunks()},
                               std::pair<Value, int64_t>{loader.right, layout.buffers * layout.rightChunks()}})
      if (cast<MemRefType>(array.getType()).getElementType() == grid.quadType() && size / need > best.second)
        best = {array, size / need};
    if (best.second == 0)
      return {grid.function.shared(need, grid.quadType()), 1};
    return {best.first, std::min<int64_t>(tile.rows, best.second)};
  }

  /// Finishes all rows, some at a time. Every set stores its sums to shared memory. Then sets alternate between the
  /// rows, and add up the sums of all sets in order.
  void finishTogether(ValueRange sums, ArrayRef<Loaded> early) {
    const std::pair<Value, int64_t> room = roomForSums();
    Value array = room.first;
    const int64_t rowsAtOnce = room.second;
    const int64_t need = tile.parts * setSize;
    Value mine = build.add(build.multiply(set, setSize), me);
    for (int64_t first = 0; first < tile.rows; first += rowsAtOnce) {
      if (first > 0 || loader.parts() == 1) // In other cases, all invocations have already read the previous data.
        mlir::gpu::BarrierOp::create(build.ops, build.loc);
      const int64_t rows = std::min(rowsAtOnce, tile.rows - first);
      for (int64_t number = 0; number < rows * tile.quads; ++number)
        memref::StoreOp::create(build.ops, build.loc, sums[first * tile.quads + number], array,
                                ValueRange{build.add(mine, number * need)});
      const SmallVector<Loaded> loaded =
          rows == tile.rows && !early.empty() ? SmallVector<Loaded>(early) : loadForRows(first, rows);
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      for (int64_t iteration = 0; iteration * tile.parts < rows; ++iteration) {
        Value row = build.add(set, iteration * tile.parts);
        build.onlyIf((iteration + 1) * tile.parts > rows ? build.isBelow(row, build.constant(rows)) : Value(), [&] {
          SmallVector<Value> totals;
          for (int64_t j = 0; j < tile.quads; ++j)
            totals.push_back(addSets(array, build.multiply(build.add(build.multiply(row, tile.quads), j), need)));
          finishRow(build.add(row, first), totals, loaded[iteration]);
        });
      }
    }
  }

  Value addSets(Value array, Value offset) {
    Value total;
    for (int64_t part = 0; part < tile.parts; ++part) {
      Value at = build.add(build.add(me, offset), part * setSize);
      Value next = memref::LoadOp::create(build.ops, build.loc, array, ValueRange{at});
      total = total ? grid.sumOf(total, next) : next;
    }
    return total;
  }

  SmallVector<Value> multiplyPart(Value buffer, SmallVector<Value> sums) {
    for (int64_t four = 0; four < tile.depth / tile.parts / 4; ++four) {
      const SmallVector<Value> loaded = loadFour(buffer, four);
      for (int64_t step = 0; step < 4; ++step)
        sums = multiply(sums, factorsOf(loaded, step));
    }
    return sums;
  }

  /// Loads four steps of the reduction from shared memory: first a quad of steps for each row, then the columns' quads
  /// for each step.
  SmallVector<Value> loadFour(Value buffer, int64_t four) {
    auto read = [&](Value array, Value at) {
      return memref::LoadOp::create(build.ops, build.loc, array, ValueRange{at}).getResult();
    };
    const int64_t steps = tile.depth / tile.parts; // Number of steps of this set.
    Value rows = build.add(build.multiply(myRow, layout.leftPitch), build.multiply(buffer, layout.leftChunks()));
    Value columns = build.add(myQuad, build.multiply(buffer, layout.rightChunks()));
    rows = build.add(rows, build.multiply(set, steps / 4));
    columns = build.add(columns, build.multiply(set, steps * layout.rightPitch));
    SmallVector<Value> values;
    for (int64_t i = 0; i < tile.rows; ++i)
      values.push_back(read(loader.left, build.add(rows, i * kLaneRows * layout.leftPitch + four)));
    for (int64_t step = 0; step < 4; ++step)
      for (int64_t j = 0; j < tile.quads; ++j)
        values.push_back(
            read(loader.right, build.add(columns, (four * 4 + step) * layout.rightPitch + j * kLaneColumns)));
    return values;
  }

  /// Returns the factors of the step with index `step` of the four: an element for each row, then the columns' quads.
  SmallVector<Value> factorsOf(ArrayRef<Value> four, int64_t step) {
    SmallVector<Value> factors;
    for (Value row : four.take_front(tile.rows))
      factors.push_back(vector::ExtractOp::create(build.ops, build.loc, row, step));
    llvm::append_range(factors, four.drop_front(tile.rows).slice(step * tile.quads, tile.quads));
    return factors;
  }

  SmallVector<Value> multiply(SmallVector<Value> sums, ArrayRef<Value> factors) {
    SmallVector<Value> quads;
    for (Value quad : factors.drop_front(tile.rows))
      quads.push_back(grid.extended(quad));
    for (int64_t i = 0; i < tile.rows; ++i) {
      Value a = grid.extended(factors[i]);
      for (int64_t j = 0; j < tile.quads; ++j) {
        Value &sum = sums[i * tile.quads + j];
        sum = grid.multiplyAdd(a, quads[j], sum);
      }
    }
    return sums;
  }

  ContractionGrid &grid;
  IndexBuilder &build;
  const GpuTile::Shared &tile;
  const SharedLayout layout;
  TileLoader loader;
  const int64_t setSize;
  Value set, me;       ///< Index of the set, and index of the invocation in the set.
  Value myRow, myQuad; ///< First row and quad of this invocation.
};

} // namespace

void emitSharedTile(ContractionGrid &grid, const GpuTile::Shared &tile) { SharedTile(grid, tile).emit(); }

} // namespace nacre::codegen::gpu
