// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a tile of a contraction through shared memory.
// Why:   each element of the operands is read from memory once per workgroup; desktop GPUs reach their peak only so.
// How:   1. both operands' parts for `depth` steps lie in shared memory, as quads: the left along the reduction, the
//           right along the columns; there are two of each, one computed with while the other is filled;
//        2. the next part is on its way to registers while this one is computed with: one barrier per part;
//        3. groups of 32 invocations are 8 columns wide and 4 rows high, so that their reads share banks' rows.

#include "codegen/gpu/Templates.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

constexpr int64_t kLanes = 32, kLaneColumns = 8, kLaneRows = 4;

class SharedTile {
public:
  SharedTile(ContractionGrid &grid, const GpuTile &tile)
      : grid(grid), contraction(grid.contraction), build(grid.build), tile(tile), threads(tile.invocations()),
        depthQuads(tile.depth / 4), columnQuads(tile.tileColumns() / 4), pitch(sharedRowQuads(tile.depth)),
        depthSize(contraction.depthSize()) {
    assert(tile.columnThreads % kLaneColumns == 0 && tile.rowThreads % kLaneRows == 0 &&
           tile.tileRows() * depthQuads % threads == 0 && tile.depth * columnQuads % threads == 0 &&
           threads % depthQuads == 0 && threads % columnQuads == 0 && "invocations must share the loads evenly");
  }

  void emit() {
    place();
    const int64_t parts = llvm::divideCeil(depthSize, tile.depth);
    Value zero = build.constant(0);
    store(load(zero), zero);
    mlir::gpu::BarrierOp::create(build.ops, build.loc);
    SmallVector<Value> sums(tile.rows * tile.quads, grid.zeroQuad());
    auto loop = scf::ForOp::create(build.ops, build.loc, zero, build.constant(parts), build.constant(1), sums);
    {
      OpBuilder::InsertionGuard guard(build.ops);
      build.ops.setInsertionPointToStart(loop.getBody());
      Value part = loop.getInductionVar(), next = build.add(part, 1);
      // The last turn loads its own part again: a branch would cost more.
      SmallVector<Value> ahead = load(build.least(next, build.constant(parts - 1)));
      SmallVector<Value> current(loop.getRegionIterArgs());
      current = multiply(build.remainder(part, 2), current);
      store(ahead, build.remainder(next, 2));
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      scf::YieldOp::create(build.ops, build.loc, current);
    }
    for (int64_t i = 0; i < tile.rows; ++i) {
      Value row = build.add(build.add(grid.firstRow, myRow), i * kLaneRows);
      build.onlyIf(build.isBelow(row, grid.rowLimit), [&] {
        for (int64_t j = 0; j < tile.quads; ++j)
          grid.finish(loop.getResult(i * tile.quads + j), row,
                      build.add(build.add(grid.firstQuad, myQuad), j * kLaneColumns));
      });
    }
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Places
  //===--------------------------------------------------------------------===//

  void place() {
    Value me = grid.function.invocation;
    Value lane = build.remainder(me, kLanes), warp = build.divide(me, kLanes);
    const int64_t warpColumns = tile.columnThreads / kLaneColumns;
    // Rows and quads of a lane are kLaneRows and kLaneColumns apart.
    myRow = build.add(build.multiply(build.divide(warp, warpColumns), kLaneRows * tile.rows),
                      build.divide(lane, kLaneColumns));
    myQuad = build.add(build.multiply(build.remainder(warp, warpColumns), kLaneColumns * tile.quads),
                       build.remainder(lane, kLaneColumns));

    auto quadOf = [&](unsigned operand) { return VectorType::get({4}, contraction.operands[operand].elementType); };
    left = grid.function.shared(2 * tile.tileRows() * pitch, quadOf(Contraction::Lhs));
    right = grid.function.shared(2 * tile.depth * columnQuads, quadOf(Contraction::Rhs));

    // Who loads what: neighbours load neighbouring quads.
    leftQuad = build.remainder(me, depthQuads);
    Value leftRow = build.divide(me, depthQuads), last = grid.lastRow();
    for (int64_t i = 0; i < tile.tileRows() * depthQuads / threads; ++i) {
      Value row = build.add(leftRow, i * (threads / depthQuads));
      leftTo.push_back(build.add(build.multiply(row, pitch), leftQuad));
      leftFrom.push_back(
          build.add(grid.base(Contraction::Lhs),
                    grid.rowAddress(Contraction::Lhs, build.least(build.add(grid.firstRow, row), last))));
    }
    Value rightQuad = build.remainder(me, columnQuads);
    rightStep = build.divide(me, columnQuads);
    rightColumn = grid.clampedQuad(build.add(grid.firstQuad, rightQuad));
    for (int64_t i = 0; i < tile.depth * columnQuads / threads; ++i)
      rightTo.push_back(build.add(build.multiply(build.add(rightStep, stepOf(i)), columnQuads), rightQuad));
  }

  int64_t stepOf(int64_t number) const { return number * (threads / columnQuads); }

  //===--------------------------------------------------------------------===//
  // 2. Loads ahead
  //===--------------------------------------------------------------------===//

  /// Step `offset` of the part that begins at `first`: one index where a part lies within the innermost loop.
  Value depthAddress(unsigned operand, Value first, Value offset) {
    if (contraction.depth.back().size % tile.depth != 0)
      return grid.depthAddress(operand, build.add(first, offset));
    const int64_t stride = contraction.depth.back().strides[operand];
    Value inPart = grid.reach(operand) == Reach::Depth ? build.multiply(build.divide(offset, 4), stride)
                                                       : build.multiply(offset, grid.scaled(operand, stride));
    return build.add(grid.depthAddress(operand, first), inPart);
  }

  bool hasTail() const { return depthSize % tile.depth != 0; }

  /// This invocation's elements of part `part`.
  SmallVector<Value> load(Value part) {
    SmallVector<Value> values;
    Value first = build.multiply(part, tile.depth);
    auto address = [&](unsigned operand, Value offset, Value step) {
      return hasTail() ? grid.depthAddress(operand, step) : depthAddress(operand, first, offset);
    };
    Value offset = build.multiply(leftQuad, 4);
    for (Value row : leftFrom)
      values.push_back(loadLeft(row, first, offset, address));
    for (unsigned i = 0; i < rightTo.size(); ++i) {
      Value mine = build.add(rightStep, stepOf(i));
      values.push_back(grid.loadStep(build.add(first, mine), hasTail(), [&](Value step) {
        return grid.loadQuad(Contraction::Rhs,
                             build.add(grid.base(Contraction::Rhs), address(Contraction::Rhs, mine, step)),
                             rightColumn);
      }));
    }
    return values;
  }

  Value loadLeft(Value row, Value first, Value offset, llvm::function_ref<Value(unsigned, Value, Value)> address) {
    auto loadAt = [&](Value at) {
      return grid.loadStep(build.add(first, at), hasTail(), [&](Value step) {
        return grid.load(Contraction::Lhs, build.add(row, address(Contraction::Lhs, at, step)));
      });
    };
    if (grid.reach(Contraction::Lhs) == Reach::Depth)
      return loadAt(offset);
    SmallVector<Value, 4> steps;
    for (int64_t step = 0; step < 4; ++step)
      steps.push_back(loadAt(build.add(offset, step)));
    return vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({4}, steps.front().getType()), steps);
  }

  void store(ArrayRef<Value> values, Value buffer) {
    auto put = [&](Value value, Value array, Value at, int64_t size) {
      memref::StoreOp::create(build.ops, build.loc, value, array,
                              ValueRange{build.add(at, build.multiply(buffer, size))});
    };
    for (unsigned i = 0; i < leftTo.size(); ++i)
      put(values[i], left, leftTo[i], tile.tileRows() * pitch);
    for (unsigned i = 0; i < rightTo.size(); ++i)
      put(values[leftTo.size() + i], right, rightTo[i], tile.depth * columnQuads);
  }

  //===--------------------------------------------------------------------===//
  // 3. Products
  //===--------------------------------------------------------------------===//

  SmallVector<Value> multiply(Value buffer, SmallVector<Value> sums) {
    auto read = [&](Value array, Value at) {
      return memref::LoadOp::create(build.ops, build.loc, array, ValueRange{at}).getResult();
    };
    Value rows = build.add(build.multiply(myRow, pitch), build.multiply(buffer, tile.tileRows() * pitch));
    Value columns = build.add(myQuad, build.multiply(buffer, tile.depth * columnQuads));
    for (int64_t four = 0; four < depthQuads; ++four) {
      SmallVector<Value> fours;
      for (int64_t i = 0; i < tile.rows; ++i)
        fours.push_back(read(left, build.add(rows, i * kLaneRows * pitch + four)));
      for (int64_t step = 0; step < 4; ++step) {
        SmallVector<Value> quads;
        for (int64_t j = 0; j < tile.quads; ++j)
          quads.push_back(
              grid.extended(read(right, build.add(columns, (four * 4 + step) * columnQuads + j * kLaneColumns))));
        for (int64_t i = 0; i < tile.rows; ++i) {
          Value element = vector::ExtractOp::create(build.ops, build.loc, fours[i], step);
          Value a = vector::BroadcastOp::create(build.ops, build.loc, grid.quadType(), grid.extended(element));
          for (int64_t j = 0; j < tile.quads; ++j) {
            Value &sum = sums[i * tile.quads + j];
            sum = vector::FMAOp::create(build.ops, build.loc, a, quads[j], sum);
          }
        }
      }
    }
    return sums;
  }

  ContractionGrid &grid;
  const Contraction &contraction;
  IndexBuilder &build;
  const GpuTile &tile;
  const int64_t threads, depthQuads, columnQuads, pitch, depthSize;

  Value myRow, myQuad;                    ///< The first that this invocation computes.
  Value left, right;                      ///< Shared memory.
  Value leftQuad, rightStep, rightColumn; ///< What it loads.
  SmallVector<Value> leftFrom, leftTo, rightTo;
};

} // namespace

void emitSharedTile(ContractionGrid &grid, const GpuTile &tile) { SharedTile(grid, tile).emit(); }

} // namespace nacre::codegen::gpu
