// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits a tile of a contraction whose reduction is divided among the invocations of a workgroup.
// Why:   a product of few rows (fully connected and recurrent layers) has too few results to fill a GPU. Its time is
//        the time to read the weights, which all invocations do together here.
// How:   1. invocation (part, column) adds up every parts-th group of steps for its quad of columns;
//        2. the sums go to shared memory. One invocation for each row and quad adds up the parts in order, and applies
//           the epilogue.

#include "codegen/gpu/contraction/Templates.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class SplitTile {
public:
  SplitTile(ContractionGrid &grid, const GpuTile::Split &tile)
      : grid(grid), contraction(grid.contraction), build(grid.build), tile(tile), parts(tile.parts),
        steps(grid.left || contraction.depth.back().size % 4 == 0 ? 4
              : grid.readsPairs()                                 ? 2
                                                                  : 1) {
    assert(tile.rows <= parts && "a part finishes a row at most");
  }

  void emit() {
    if (grid.left)
      grid.left->prepare();
    Value column = build.remainder(grid.function.invocation, tile.columnThreads);
    Value part = build.divide(grid.function.invocation, tile.columnThreads);
    Value quad = build.add(grid.firstQuad, column), clamped = grid.clampedQuad(quad);
    Value array = grid.function.shared(tile.invocations() * tile.rows, grid.quadType());
    SmallVector<Value> sums = addUp(part, column, clamped);
    for (int64_t i = 0; i < tile.rows; ++i)
      memref::StoreOp::create(build.ops, build.loc, sums[i], array,
                              ValueRange{build.add(grid.function.invocation, i * tile.invocations())});
    mlir::gpu::BarrierOp::create(build.ops, build.loc);

    Value row = build.add(grid.firstRow, part);
    Value mine = build.isBelow(part, build.constant(tile.rows));
    if (Value writes = grid.writes(row))
      mine = arith::AndIOp::create(build.ops, build.loc, mine, writes);
    build.onlyIf(mine, [&] {
      Value at = build.add(build.multiply(part, tile.invocations()), column);
      Value sum;
      for (int64_t number = 0; number < parts; ++number) {
        Value next =
            memref::LoadOp::create(build.ops, build.loc, array, ValueRange{build.add(at, number * tile.columnThreads)});
        sum = sum ? grid.sumOf(sum, next) : next;
      }
      grid.finish(sum, row, quad);
    });
  }

private:
  SmallVector<Value> addUp(Value part, Value column, Value quad) {
    const int64_t size = contraction.depthSize();
    const bool hasTail = size % (steps * parts) != 0;
    SmallVector<Value> rows;
    SmallVector<LeftSource::Values> sources;
    for (int64_t i = 0; i < tile.rows; ++i)
      if (grid.left)
        sources.push_back(grid.left->row(build.constant(0), i));
      else
        rows.push_back(
            build.add(grid.base(Contraction::Lhs), grid.tileRowAddress(Contraction::Lhs, build.constant(0), i)));
    SmallVector<Value> sums(tile.rows, grid.zeroQuad());
    auto loop = scf::ForOp::create(build.ops, build.loc, build.constant(0),
                                   build.constant(llvm::divideCeil(size, steps * parts)), build.constant(1), sums);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(loop.getBody());
    Value first = build.multiply(build.add(build.multiply(loop.getInductionVar(), parts), part), steps);
    SmallVector<Value> current(loop.getRegionIterArgs());
    SmallVector<Value> fours;
    for (ValueRange row : sources) {
      fours.push_back(grid.makeLeft(row, first, 1, hasTail).front());
      if (grid.left->isWritten())
        build.onlyIf(build.isEqual(column, build.constant(0)), [&] { grid.left->write(row, first, fours.back()); });
    }
    if (!grid.left && grid.reach(Contraction::Lhs) == Reach::Depth)
      for (Value row : rows)
        fours.push_back(loadLeft(row, first, hasTail));
    auto addressOf = [&](Value step) {
      return build.add(grid.base(Contraction::Rhs), grid.depthAddress(Contraction::Rhs, step));
    };
    std::array<Value, 2> pair;
    if (grid.readsPairs()) {
      pair = grid.loadPair(addressOf(hasTail ? grid.someStep(first) : first), quad);
      for (Value &columns : pair)
        columns = hasTail ? grid.zeroBeyond(first, columns) : columns;
    }
    for (int64_t step = 0; step < steps; ++step) {
      Value at = build.add(first, step);
      Value columns = grid.readsPairs() ? pair[step] : grid.extended(grid.loadStep(at, hasTail, [&](Value inside) {
        return grid.loadQuad(Contraction::Rhs, addressOf(inside), quad);
      }));
      for (int64_t i = 0; i < tile.rows; ++i) {
        Value a = fours.empty() ? loadLeft(rows[i], at, hasTail)
                                : vector::ExtractOp::create(build.ops, build.loc, fours[i], step).getResult();
        current[i] = grid.multiplyAdd(grid.extended(a), columns, current[i]);
      }
    }
    scf::YieldOp::create(build.ops, build.loc, current);
    return loop.getResults();
  }

  Value loadLeft(Value row, Value step, bool hasTail) {
    return grid.loadStep(step, hasTail, [&](Value inside) {
      return grid.load(Contraction::Lhs, build.add(row, grid.depthAddress(Contraction::Lhs, inside)));
    });
  }

  ContractionGrid &grid;
  const LoopedContraction &contraction;
  IndexBuilder &build;
  const GpuTile::Split &tile;
  const int64_t parts, steps;
};

} // namespace

void emitSplitTile(ContractionGrid &grid, const GpuTile::Split &tile) { SplitTile(grid, tile).emit(); }

} // namespace nacre::codegen::gpu
