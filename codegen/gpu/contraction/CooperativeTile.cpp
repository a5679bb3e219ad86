// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a tile of a contraction by cooperative matrices: products of f16, sums of f32.
// Why:   a GPU that has them multiplies many times faster so than invocation by invocation.
// How:   1. operands come to shared memory as f16, 16 bytes at a time: only so do GPUs load matrices from it at full
//           speed; the next part waits in registers meanwhile, or in a second buffer;
//        2. a subgroup holds rows x quads matrices of 16 x 16 sums; where tiles are too few to fill the GPU, sets of
//           subgroups each take some of a part's steps for the whole tile;
//        3. no invocation knows which sums it holds, so some matrices at a time go to the subgroup's piece of the
//           memory that the operands leave, and from there, quad by quad and added over the sets, through the epilogue.

#include "codegen/gpu/contraction/Templates.h"
#include "codegen/gpu/contraction/TileLoader.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

constexpr int64_t kChunk = 8; ///< Elements of f16 in 16 bytes.

SharedLayout layoutOf(const ContractionGrid &grid, const GpuTile &tile) {
  SharedLayout layout;
  layout.rows = tile.tileRows();
  layout.columns = tile.tileColumns();
  layout.depth = tile.depth;
  layout.chunk = kChunk;
  layout.leftPitch = tile.depth / kChunk + kMatrixPadChunks;
  layout.rightPitch = tile.tileColumns() / kChunk + kMatrixPadChunks;
  layout.buffers = tile.buffers;
  layout.leftType = layout.rightType = grid.build.ops.getF16Type();
  return layout;
}

class CooperativeTile {
public:
  CooperativeTile(ContractionGrid &grid, const GpuTile &tile)
      : grid(grid), build(grid.build), tile(tile), layout(layoutOf(grid, tile)),
        loader(grid, layout, tile.invocations()), setSize(tile.columnThreads * tile.rowThreads),
        half(build.ops.getF16Type()),
        leftMatrix(mlir::gpu::MMAMatrixType::get({kMatrixSize, kMatrixSize}, half, "AOp")),
        rightMatrix(mlir::gpu::MMAMatrixType::get({kMatrixSize, kMatrixSize}, half, "BOp")),
        sumMatrix(mlir::gpu::MMAMatrixType::get({kMatrixSize, kMatrixSize}, build.ops.getF32Type(), "COp")) {
    subgroup = build.divide(grid.function.invocation, kSubgroup);
    lane = build.remainder(grid.function.invocation, kSubgroup);
    set = build.divide(subgroup, setSize);
    Value me = build.remainder(subgroup, setSize);
    myRow = build.multiply(build.divide(me, tile.columnThreads), kMatrixSize * tile.rows);
    myChunk = build.multiply(build.remainder(me, tile.columnThreads), kMatrixSize / kChunk * tile.quads);
  }

  void emit() {
    SmallVector<Value> carried(tile.rows * tile.quads, zeros(sumMatrix));
    finish(tile.buffers == 1 ? reduceByOneBuffer(carried) : reduceByTwoBuffers(carried));
  }

private:
  /// A part that is `ahead` of another; beyond the last one, that one again: a branch would cost more.
  Value partAfter(Value part, int64_t ahead) {
    return build.least(build.add(part, ahead), build.constant(loader.parts() - 1));
  }

  /// The next part waits in registers until all have multiplied this one.
  SmallVector<Value> reduceByOneBuffer(SmallVector<Value> carried) {
    const size_t sums = carried.size();
    Value zero = build.constant(0);
    carried.append(loader.loadFirst());
    auto emitPart = [&](Value part, Value, Value, SmallVector<Value> current) {
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      loader.store(ArrayRef(current).drop_front(sums), zero);
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      SmallVector<Value> next = loader.load(partAfter(part, 1));
      current.truncate(sums);
      for (int64_t step = 0; step < tile.depth / tile.parts; step += kMatrixSize)
        current = multiply(current, loadMatrices(step, zero));
      current.append(next);
      return current;
    };
    carried = loader.forEachPart(1, std::move(carried), emitPart);
    carried.truncate(sums);
    return carried;
  }

  /// The part after this one goes to the other buffer before this one is multiplied: one barrier per part, and loads
  /// have as long as `ahead` parts take. Matrices are loaded a step before they are multiplied, so that there is work
  /// behind every barrier.
  SmallVector<Value> reduceByTwoBuffers(SmallVector<Value> carried) {
    const size_t sums = carried.size(), matrices = tile.rows + tile.quads;
    loader.store(loader.loadFirst(), build.constant(0));
    mlir::gpu::BarrierOp::create(build.ops, build.loc);
    carried.append(tile.rows, zeros(leftMatrix));
    carried.append(tile.quads, zeros(rightMatrix));
    for (int64_t part = 1; part <= tile.ahead; ++part)
      carried.append(loader.load(partAfter(build.constant(0), part)));
    const size_t chunks = (carried.size() - sums - matrices) / tile.ahead;
    auto emitPart = [&](Value part, Value buffer, Value nextBuffer, SmallVector<Value> current) {
      loader.store(ArrayRef(current).slice(sums + matrices, chunks), nextBuffer);
      SmallVector<Value> waiting(ArrayRef<Value>(current).drop_front(sums + matrices + chunks));
      waiting.append(loader.load(partAfter(part, tile.ahead + 1)));
      SmallVector<Value> former(ArrayRef<Value>(current).slice(sums, matrices));
      current.truncate(sums);
      for (int64_t step = 0; step < tile.depth / tile.parts; step += kMatrixSize) {
        SmallVector<Value> next = loadMatrices(step, buffer);
        current = multiply(current, former);
        former = next;
      }
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      current.append(former);
      current.append(waiting);
      return current;
    };
    carried = loader.forEachPart(1, std::move(carried), emitPart);
    SmallVector<Value> former(ArrayRef<Value>(carried).slice(sums, matrices));
    carried.truncate(sums);
    return multiply(carried, former);
  }

  Value zeros(mlir::gpu::MMAMatrixType type) {
    Value zero = arith::ConstantOp::create(build.ops, build.loc, build.ops.getFloatAttr(type.getElementType(), 0));
    return mlir::gpu::SubgroupMmaConstantMatrixOp::create(build.ops, build.loc, type, zero);
  }

  /// Those of the left operand, then those of the right.
  SmallVector<Value> loadMatrices(int64_t step, Value buffer) {
    auto read = [&](Type matrix, Value array, Value at, int64_t pitch) {
      return mlir::gpu::SubgroupMmaLoadMatrixOp::create(build.ops, build.loc, matrix, array, ValueRange{at},
                                                        build.ops.getIndexAttr(pitch), /*transpose=*/UnitAttr())
          .getResult();
    };
    const int64_t steps = tile.depth / tile.parts; // Of this set.
    Value rows = build.add(build.multiply(myRow, layout.leftPitch), build.multiply(buffer, layout.leftChunks()));
    Value columns = build.add(myChunk, build.multiply(buffer, layout.rightChunks()));
    rows = build.add(rows, build.multiply(set, steps / kChunk));
    columns = build.add(columns, build.multiply(set, steps * layout.rightPitch));
    SmallVector<Value> matrices;
    for (int64_t i = 0; i < tile.rows; ++i)
      matrices.push_back(read(leftMatrix, loader.left,
                              build.add(rows, i * kMatrixSize * layout.leftPitch + step / kChunk), layout.leftPitch));
    for (int64_t j = 0; j < tile.quads; ++j)
      matrices.push_back(read(rightMatrix, loader.right,
                              build.add(columns, step * layout.rightPitch + j * (kMatrixSize / kChunk)),
                              layout.rightPitch));
    return matrices;
  }

  SmallVector<Value> multiply(SmallVector<Value> sums, ArrayRef<Value> matrices) {
    for (int64_t i = 0; i < tile.rows; ++i)
      for (int64_t j = 0; j < tile.quads; ++j) {
        Value &sum = sums[i * tile.quads + j];
        sum = mlir::gpu::SubgroupMmaComputeOp::create(build.ops, build.loc, sumMatrix, matrices[i],
                                                      matrices[tile.rows + j], sum, /*a_transpose=*/UnitAttr(),
                                                      /*b_transpose=*/UnitAttr());
      }
    return sums;
  }

  /// Waits for those who share a piece.
  void waitForPiece() {
    if (tile.parts > 1)
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
    else
      spirv::ControlBarrierOp::create(build.ops, build.loc, spirv::Scope::Subgroup, spirv::Scope::Subgroup,
                                      spirv::MemorySemantics::AcquireRelease | spirv::MemorySemantics::WorkgroupMemory);
  }

  void finish(ArrayRef<Value> sums) {
    // As many matrices side by side as the larger operand's memory has room for.
    const int64_t left = layout.buffers * layout.leftChunks(), right = layout.buffers * layout.rightChunks();
    pieces = left < right ? loader.right : loader.left;
    constexpr int64_t matrix = kMatrixSize * kMatrixSize / 4; // Quads, which are as large as chunks.
    const int64_t subgroups = tile.invocations() / kSubgroup;
    int64_t matrices = tile.quads;
    while (subgroups * matrices * matrix > std::max(left, right) || tile.quads % matrices != 0)
      --matrices;
    assert(matrices > 0 && "an operand takes at least as much memory as a matrix of each subgroup");
    const int64_t pitch = matrices * (kMatrixSize / 4), size = matrices * matrix;
    Value mine = build.multiply(subgroup, size), firstSets = build.multiply(build.remainder(subgroup, setSize), size);
    mlir::gpu::BarrierOp::create(build.ops, build.loc);
    for (int64_t i = 0; i < tile.rows; ++i)
      for (int64_t j = 0; j < tile.quads; j += matrices) {
        if (i + j > 0)
          waitForPiece();
        for (int64_t next = 0; next < matrices; ++next)
          mlir::gpu::SubgroupMmaStoreMatrixOp::create(build.ops, build.loc, sums[i * tile.quads + j + next], pieces,
                                                      ValueRange{build.add(mine, next * (kMatrixSize / 4))},
                                                      build.ops.getIndexAttr(pitch),
                                                      /*transpose=*/UnitAttr());
        waitForPiece();
        for (int64_t turn = 0; turn < size / kSubgroup; ++turn) {
          Value isMine = tile.parts > 1 ? build.isEqual(set, build.constant(turn % tile.parts)) : Value();
          build.onlyIf(isMine, [&] {
            finishQuad(firstSets, build.add(lane, turn * kSubgroup), pitch, size, i * kMatrixSize,
                       j * (kMatrixSize / 4));
          });
        }
      }
  }

  /// Quad `number` of the first set's piece and of the others', added in their order. The piece's first element is the
  /// subgroup's so manyth row and quad.
  void finishQuad(Value piece, Value number, int64_t pitch, int64_t size, int64_t rows, int64_t quads) {
    Value row = build.add(build.add(build.add(grid.firstRow, myRow), rows), build.divide(number, pitch));
    Value quad = build.add(build.add(grid.firstQuad, build.multiply(myChunk, kChunk / 4)), quads);
    quad = build.add(quad, build.remainder(number, pitch));
    Value total;
    for (int64_t part = 0; part < tile.parts; ++part) {
      Value at = build.add(build.add(piece, number), part * setSize * size);
      Value bits = memref::LoadOp::create(build.ops, build.loc, pieces, ValueRange{at});
      Value sum = vector::BitCastOp::create(build.ops, build.loc, grid.quadType(), bits);
      total = total ? arith::AddFOp::create(build.ops, build.loc, total, sum).getResult() : sum;
    }
    build.onlyIf(grid.writes(row), [&] { grid.finish(total, row, quad); });
  }

  ContractionGrid &grid;
  IndexBuilder &build;
  const GpuTile &tile;
  const SharedLayout layout;
  TileLoader loader;
  const int64_t setSize; ///< Subgroups that compute the whole tile together.
  Type half;
  mlir::gpu::MMAMatrixType leftMatrix, rightMatrix, sumMatrix;
  Value subgroup, lane;
  Value set;            ///< Which of the sets that divide every part.
  Value myRow, myChunk; ///< The subgroup's first.
  Value pieces;         ///< The operand's memory that takes the sums in the end.
};

} // namespace

void emitCooperativeTile(ContractionGrid &grid, const GpuTile &tile) { CooperativeTile(grid, tile).emit(); }

} // namespace nacre::codegen::gpu
