// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a tile of a contraction by cooperative matrices: products of f16, sums of f32.
// Why:   a GPU that has them multiplies many times faster so than invocation by invocation.
// How:   1. operands come to shared memory as f16; the next part waits in registers meanwhile;
//        2. a subgroup holds rows x quads matrices of 16 x 16 sums;
//        3. no invocation knows which sums it holds, so a row of matrices goes to shared memory, and from there, quad
//        by
//           quad, through the epilogue.

#include "codegen/gpu/Templates.h"
#include "codegen/gpu/TileLoader.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

SharedLayout layoutOf(const ContractionGrid &grid, const GpuTile &tile) {
  SharedLayout layout;
  layout.rows = tile.tileRows();
  layout.columns = tile.tileColumns();
  layout.depth = tile.depth;
  layout.leftPitch = tile.depth / 4 + kMatrixPadQuads;
  layout.rightPitch = tile.tileColumns() / 4 + kMatrixPadQuads;
  layout.leftType = layout.rightType = grid.build.ops.getF16Type();
  return layout;
}

class CooperativeTile {
public:
  CooperativeTile(ContractionGrid &grid, const GpuTile &tile)
      : grid(grid), build(grid.build), tile(tile), layout(layoutOf(grid, tile)),
        loader(grid, layout, tile.invocations()), half(build.ops.getF16Type()),
        leftMatrix(mlir::gpu::MMAMatrixType::get({kMatrixSize, kMatrixSize}, half, "AOp")),
        rightMatrix(mlir::gpu::MMAMatrixType::get({kMatrixSize, kMatrixSize}, half, "BOp")),
        sumMatrix(mlir::gpu::MMAMatrixType::get({kMatrixSize, kMatrixSize}, build.ops.getF32Type(), "COp")) {
    subgroup = build.divide(grid.function.invocation, kSubgroup);
    lane = build.remainder(grid.function.invocation, kSubgroup);
    myRow = build.multiply(build.divide(subgroup, tile.columnThreads), kMatrixSize * tile.rows);
    myQuad = build.multiply(build.remainder(subgroup, tile.columnThreads), kMatrixSize / 4 * tile.quads);
  }

  void emit() {
    const int64_t parts = loader.parts(), sums = tile.rows * tile.quads;
    Value none = arith::ConstantOp::create(build.ops, build.loc, build.ops.getF32FloatAttr(0));
    Value zeros = mlir::gpu::SubgroupMmaConstantMatrixOp::create(build.ops, build.loc, sumMatrix, none);
    SmallVector<Value> carried(sums, zeros);
    carried.append(loader.load(build.constant(0)));
    auto loop =
        scf::ForOp::create(build.ops, build.loc, build.constant(0), build.constant(parts), build.constant(1), carried);
    {
      OpBuilder::InsertionGuard guard(build.ops);
      build.ops.setInsertionPointToStart(loop.getBody());
      ArrayRef<BlockArgument> arguments = loop.getRegionIterArgs();
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      loader.store(SmallVector<Value>(arguments.drop_front(sums)), build.constant(0));
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      Value next = build.least(build.add(loop.getInductionVar(), 1), build.constant(parts - 1));
      SmallVector<Value> ahead = loader.load(next);
      SmallVector<Value> current = multiply(SmallVector<Value>(arguments.take_front(sums)));
      current.append(ahead);
      scf::YieldOp::create(build.ops, build.loc, current);
    }
    finish(loop.getResults().take_front(sums));
  }

private:
  SmallVector<Value> multiply(SmallVector<Value> sums) {
    auto read = [&](Type matrix, Value array, Value at, int64_t pitch) {
      return mlir::gpu::SubgroupMmaLoadMatrixOp::create(build.ops, build.loc, matrix, array, ValueRange{at},
                                                        build.ops.getIndexAttr(pitch), /*transpose=*/UnitAttr())
          .getResult();
    };
    Value rows = build.multiply(myRow, layout.leftPitch);
    for (int64_t step = 0; step < tile.depth; step += kMatrixSize) {
      SmallVector<Value> lefts, rights;
      for (int64_t i = 0; i < tile.rows; ++i)
        lefts.push_back(read(leftMatrix, loader.left, build.add(rows, i * kMatrixSize * layout.leftPitch + step / 4),
                             layout.leftPitch));
      for (int64_t j = 0; j < tile.quads; ++j)
        rights.push_back(read(rightMatrix, loader.right,
                              build.add(myQuad, step * layout.rightPitch + j * (kMatrixSize / 4)), layout.rightPitch));
      for (int64_t i = 0; i < tile.rows; ++i)
        for (int64_t j = 0; j < tile.quads; ++j) {
          Value &sum = sums[i * tile.quads + j];
          sum = mlir::gpu::SubgroupMmaComputeOp::create(build.ops, build.loc, sumMatrix, lefts[i], rights[j], sum,
                                                        /*a_transpose=*/UnitAttr(), /*b_transpose=*/UnitAttr());
        }
    }
    return sums;
  }

  void finish(ValueRange sums) {
    const int64_t pitch = kMatrixSize / 4 * tile.quads, quads = kMatrixSize * pitch;
    Value array = grid.function.shared(tile.invocations() / kSubgroup * quads, grid.quadType());
    Value mine = build.multiply(subgroup, quads);
    for (int64_t i = 0; i < tile.rows; ++i) {
      for (int64_t j = 0; j < tile.quads; ++j)
        mlir::gpu::SubgroupMmaStoreMatrixOp::create(build.ops, build.loc, sums[i * tile.quads + j], array,
                                                    ValueRange{build.add(mine, j * (kMatrixSize / 4))},
                                                    build.ops.getIndexAttr(pitch), /*transpose=*/UnitAttr());
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      for (int64_t turn = 0; turn < quads / kSubgroup; ++turn) {
        Value number = build.add(lane, turn * kSubgroup);
        Value row = build.add(build.add(build.add(grid.firstRow, myRow), i * kMatrixSize), build.divide(number, pitch));
        Value quad = build.add(build.add(grid.firstQuad, myQuad), build.remainder(number, pitch));
        Value sum = memref::LoadOp::create(build.ops, build.loc, array, ValueRange{build.add(mine, number)});
        build.onlyIf(build.isBelow(row, grid.rowLimit), [&] { grid.finish(sum, row, quad); });
      }
      if (i + 1 < tile.rows)
        mlir::gpu::BarrierOp::create(build.ops, build.loc);
    }
  }

  ContractionGrid &grid;
  IndexBuilder &build;
  const GpuTile &tile;
  const SharedLayout layout;
  TileLoader loader;
  Type half;
  mlir::gpu::MMAMatrixType leftMatrix, rightMatrix, sumMatrix;
  Value subgroup, lane;
  Value myRow, myQuad; ///< The subgroup's first.
};

} // namespace

void emitCooperativeTile(ContractionGrid &grid, const GpuTile &tile) { CooperativeTile(grid, tile).emit(); }

} // namespace nacre::codegen::gpu
