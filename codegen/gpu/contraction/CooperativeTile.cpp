// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits a tile of a contraction with cooperative matrices. Products have f16 operands and f32 sums, or operands
//        of signed bytes and sums of 32-bit integers.
// Why:   GPUs with matrix units multiply many times faster with them.
// How:   1. operands are stored to shared memory as they are multiplied, in chunks of 16 bytes, because only then do
//           GPUs load matrices
//           at full speed. Meanwhile, the next part is in registers, or in a second buffer. An operand that is read
//           transposed keeps its order, and its matrices are loaded by columns;
//        2. a subgroup has rows x quads matrices of 16 x 16 sums. If there are too few tiles to fill the GPU, sets of
//           subgroups each compute some of a part's steps for the whole tile;
//        3. an invocation cannot know which sums of a matrix it has. So some matrices at a time are stored to the
//           subgroup's piece of the operands' memory. The epilogue reads them from there, quad by quad, and adds up the
//           sets;
//        4. bytes are words of four steps (WordProduct.h). A row of 16 bits takes the room of two steps, so that a tile
//           is the same for both types. Devices multiply bytes of equal signs. So unsigned bytes of the left operand
//           become signed by subtracting 128. Invocations add up 128 times the columns that they load, which corrects
//           the sums.

#include "codegen/gpu/contraction/Templates.h"
#include "codegen/gpu/contraction/TileLoader.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

constexpr int64_t kChunk = 8; ///< Number of f16 elements in 16 bytes. Pairs of bytes count as one element.

/// Returns the layout of words of bytes. All chunks are along the reduction.
SharedLayout layoutOfWords(const ContractionGrid &grid, const GpuTile::Cooperative &tile) {
  SharedLayout layout;
  layout.rows = tile.tileRows();
  layout.columns = tile.tileColumns();
  layout.depth = tile.depth / 2;
  layout.leftPitch = layout.rightPitch = tile.depth / kChunk + kMatrixPadChunks;
  layout.rightAcross = layout.turnsRight = true;
  layout.flipsLeft = grid.contraction.isUnsignedLhs;
  layout.buffers = tile.buffers;
  layout.leftType = layout.rightType = grid.build.ops.getI32Type();
  return layout;
}

SharedLayout layoutOf(const ContractionGrid &grid, const GpuTile::Cooperative &tile) {
  if (grid.wordProduct())
    return layoutOfWords(grid, tile);
  SharedLayout layout;
  layout.rows = tile.tileRows();
  layout.columns = tile.tileColumns();
  layout.depth = tile.depth;
  layout.chunk = kChunk;
  layout.leftAcross = grid.reach(Contraction::Lhs) == Reach::Rows && int64_t(grid.width(Contraction::Lhs)) == kChunk;
  layout.rightAcross = grid.reach(Contraction::Rhs) == Reach::Depth && int64_t(grid.width(Contraction::Rhs)) == kChunk;
  layout.leftPitch = (layout.leftAcross ? layout.rows : layout.depth) / kChunk + kMatrixPadChunks;
  layout.rightPitch = (layout.rightAcross ? layout.depth : layout.columns) / kChunk + kMatrixPadChunks;
  layout.buffers = tile.buffers;
  layout.leftType = layout.rightType = grid.build.ops.getF16Type();
  return layout;
}

class CooperativeTile {
public:
  CooperativeTile(ContractionGrid &grid, const GpuTile::Cooperative &tile)
      : grid(grid), build(grid.build), tile(tile), layout(layoutOf(grid, tile)),
        loader(grid, layout, tile.invocations()), setSize(tile.columnSubgroups * tile.rowSubgroups) {
    Type factor = build.ops.getF16Type();
    int64_t steps = kMatrixSize;
    if (grid.wordProduct()) {
      factor = build.ops.getIntegerType(8, /*isSigned=*/true);
      steps *= 2;
    }
    leftMatrix = mlir::gpu::MMAMatrixType::get({kMatrixSize, steps}, factor, "AOp");
    rightMatrix = mlir::gpu::MMAMatrixType::get({steps, kMatrixSize}, factor, "BOp");
    sumMatrix = mlir::gpu::MMAMatrixType::get({kMatrixSize, kMatrixSize}, grid.accumulator(), "COp");
    subgroup = build.divide(grid.function.invocation, kSubgroup);
    lane = build.remainder(grid.function.invocation, kSubgroup);
    set = build.divide(subgroup, setSize);
    Value me = build.remainder(subgroup, setSize);
    myRow = build.multiply(build.divide(me, tile.columnSubgroups), tile.matrixRows);
    myColumn = build.multiply(build.remainder(me, tile.columnSubgroups), tile.matrixColumns);
    // Choose as many matrices side by side as fit into the memory of the larger operand.
    const int64_t left = layout.buffers * layout.leftChunks(), right = layout.buffers * layout.rightChunks();
    pieces = left < right ? loader.right : loader.left;
    if (layout.flipsLeft) // The smaller operand's memory is free after the last product.
      columnSums = loader.columnSumsOfAll() <= std::min(left, right)
                       ? (left < right ? loader.left : loader.right)
                       : grid.function.shared(loader.columnSumsOfAll(), grid.quadType());
    constexpr int64_t matrix = kMatrixSize * kMatrixSize / 4; // Size in quads, which are as large as chunks.
    matricesAtOnce = tile.matrixColumns;
    while (tile.invocations() / kSubgroup * matricesAtOnce * matrix > std::max(left, right) ||
           tile.matrixColumns % matricesAtOnce != 0)
      --matricesAtOnce;
    assert(matricesAtOnce > 0 && "an operand takes at least as much memory as a matrix of each subgroup");
    pitch = matricesAtOnce * (kMatrixSize / 4);
    pieceSize = matricesAtOnce * matrix;
  }

  void emit() {
    SmallVector<Share> shares; // If few registers suffice, these loads are in flight from the beginning.
    if (pieceSize / kSubgroup <= 2 * tile.parts)
      shares = sharesOf({0, 0});
    SmallVector<Value> carried(tile.matrixRows * tile.matrixColumns, zeros(sumMatrix));
    if (layout.flipsLeft)
      carried.append(loader.columnSums(), grid.zeroQuad());
    carried = tile.buffers == 1 ? reduceByOneBuffer(carried) : reduceByTwoBuffers(carried);
    if (shares.empty())
      shares = sharesOf({0, 0});
    finish(carried, std::move(shares));
  }

private:
  /// A quad of a piece that this invocation finishes, with the epilogue's inputs, which are loaded while the piece is
  /// written.
  struct Share {
    Value number, row, quad;
    Value isMine; ///< True if this invocation has the quad; null if that is certain.
    SmallVector<Value> loaded;
  };

  /// Stores chunks to a buffer, and adds them to the sums of columns at the end of `sums`. If the chunks are not the
  /// part with index `part`, but the last one again, they are not added. `part` is null if they certainly are.
  void store(ArrayRef<Value> chunks, Value buffer, MutableArrayRef<Value> sums, Value part) {
    const SmallVector<Value> ofRight = loader.store(chunks, buffer);
    if (!layout.flipsLeft)
      return;
    auto word = [&](int32_t bits) -> Value {
      return arith::ConstantIntOp::create(build.ops, build.loc, grid.accumulator(), bits);
    };
    Value weight = word(kSignBits);
    if (part)
      weight = arith::SelectOp::create(build.ops, build.loc, build.isBelow(part, build.constant(loader.parts())),
                                       weight, word(0));
    loader.addColumns(ofRight, weight, sums.take_back(loader.columnSums()));
  }

  /// Adds up all parts with one buffer. The next part stays in registers until all invocations have multiplied this
  /// one. `carried` has the sums of matrices, then those of columns.
  SmallVector<Value> reduceByOneBuffer(SmallVector<Value> carried) {
    const size_t sums = carried.size();
    Value zero = build.constant(0);
    carried.append(loader.loadFirst());
    auto emitPart = [&](Value part, Value, Value, SmallVector<Value> current) {
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      store(ArrayRef(current).drop_front(sums), zero, MutableArrayRef(current).take_front(sums), /*part=*/{});
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
      SmallVector<Value> next = loader.load(loader.partAfter(part, 1));
      current.truncate(sums);
      for (int64_t step = 0; step < tile.depth / tile.parts; step += kMatrixSize)
        current = multiply(current, loadMatrices(step, zero));
      current.append(next);
      return current;
    };
    carried = loader.forEachPart(loader.parts(), 1, std::move(carried), emitPart);
    carried.truncate(sums);
    return carried;
  }

  /// Adds up all parts with two buffers. The next part is stored to the other buffer before this one is multiplied.
  /// Then there is one barrier per part, and a load may take the time of `ahead` parts. Matrices are loaded one step
  /// before they are multiplied, so that there is work after every barrier.
  SmallVector<Value> reduceByTwoBuffers(SmallVector<Value> carried) {
    const size_t sums = carried.size(), matrices = tile.matrixRows + tile.matrixColumns;
    store(loader.loadFirst(), build.constant(0), carried, /*part=*/{});
    mlir::gpu::BarrierOp::create(build.ops, build.loc);
    carried.append(tile.matrixRows, zeros(leftMatrix));
    carried.append(tile.matrixColumns, zeros(rightMatrix));
    for (int64_t part = 1; part <= tile.ahead; ++part)
      carried.append(loader.load(loader.partAfter(build.constant(0), part)));
    const size_t chunks = (carried.size() - sums - matrices) / tile.ahead;
    auto emitPart = [&](Value part, Value buffer, Value nextBuffer, SmallVector<Value> current) {
      store(ArrayRef(current).slice(sums + matrices, chunks), nextBuffer, MutableArrayRef(current).take_front(sums),
            build.add(part, 1));
      SmallVector<Value> waiting(ArrayRef<Value>(current).drop_front(sums + matrices + chunks));
      waiting.append(loader.load(loader.partAfter(part, tile.ahead + 1)));
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
    carried = loader.forEachPart(loader.parts(), 1, std::move(carried), emitPart);
    SmallVector<Value> former(ArrayRef<Value>(carried).slice(sums, matrices));
    carried.truncate(sums);
    return multiply(carried, former);
  }

  Value zeros(mlir::gpu::MMAMatrixType type) {
    const Type element = type.getElementType();
    Value zero;
    if (element.isSignedInteger()) // The arith dialect has no signed types.
      zero = spirv::ConstantOp::create(build.ops, build.loc, element, build.ops.getIntegerAttr(element, 0));
    else
      zero = arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(element));
    return mlir::gpu::SubgroupMmaConstantMatrixOp::create(build.ops, build.loc, type, zero);
  }

  /// Loads the matrices of the left operand, then those of the right operand.
  SmallVector<Value> loadMatrices(int64_t step, Value buffer) {
    auto read = [&](Type matrix, Value array, Value at, int64_t pitch, bool isAcross) {
      return mlir::gpu::SubgroupMmaLoadMatrixOp::create(build.ops, build.loc, matrix, array, ValueRange{at},
                                                        build.ops.getIndexAttr(pitch),
                                                        isAcross ? build.ops.getUnitAttr() : UnitAttr())
          .getResult();
    };
    // The pitches are distances between matrices in chunks; leftStep and rightStep are offsets of `step`. The chunks of
    // an operand that is read transposed are across the reduction. `steps` counts the steps of this set.
    const int64_t steps = tile.depth / tile.parts, matrixChunks = kMatrixSize / kChunk;
    const int64_t rowPitch = layout.leftAcross ? matrixChunks : kMatrixSize * layout.leftPitch;
    const int64_t leftStep = layout.leftAcross ? step * layout.leftPitch : step / kChunk;
    const int64_t columnPitch = layout.rightAcross ? kMatrixSize * layout.rightPitch : matrixChunks;
    const int64_t rightStep = layout.rightAcross ? step / kChunk : step * layout.rightPitch;
    Value rows = build.add(build.multiply(myRow, rowPitch), build.multiply(buffer, layout.leftChunks()));
    Value columns = build.add(build.multiply(myColumn, columnPitch), build.multiply(buffer, layout.rightChunks()));
    rows = build.add(rows, build.multiply(set, layout.leftAcross ? steps * layout.leftPitch : steps / kChunk));
    columns = build.add(columns, build.multiply(set, layout.rightAcross ? steps / kChunk : steps * layout.rightPitch));
    SmallVector<Value> matrices;
    for (int64_t i = 0; i < tile.matrixRows; ++i)
      matrices.push_back(
          read(leftMatrix, loader.left, build.add(rows, i * rowPitch + leftStep), layout.leftPitch, layout.leftAcross));
    for (int64_t j = 0; j < tile.matrixColumns; ++j)
      matrices.push_back(read(rightMatrix, loader.right, build.add(columns, j * columnPitch + rightStep),
                              layout.rightPitch, layout.rightAcross));
    return matrices;
  }

  SmallVector<Value> multiply(SmallVector<Value> sums, ArrayRef<Value> matrices) {
    for (int64_t i = 0; i < tile.matrixRows; ++i)
      for (int64_t j = 0; j < tile.matrixColumns; ++j) {
        Value &sum = sums[i * tile.matrixColumns + j];
        sum = mlir::gpu::SubgroupMmaComputeOp::create(build.ops, build.loc, sumMatrix, matrices[i],
                                                      matrices[tile.matrixRows + j], sum, /*a_transpose=*/UnitAttr(),
                                                      /*b_transpose=*/UnitAttr());
      }
    return sums;
  }

  /// Emits a barrier for all invocations that share a piece.
  void waitForPiece() {
    if (tile.parts > 1)
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
    else
      spirv::ControlBarrierOp::create(build.ops, build.loc, spirv::Scope::Subgroup, spirv::Scope::Subgroup,
                                      spirv::MemorySemantics::AcquireRelease | spirv::MemorySemantics::WorkgroupMemory);
  }

  /// Writes all results. `sums` has the sums of matrices, then those of columns. `shares` are the shares of the first
  /// piece.
  void finish(ArrayRef<Value> sums, SmallVector<Share> shares) {
    SmallVector<std::pair<int64_t, int64_t>> places; // Row and column of the first matrix of each piece.
    for (int64_t i = 0; i < tile.matrixRows; ++i)
      for (int64_t j = 0; j < tile.matrixColumns; j += matricesAtOnce)
        places.push_back({i, j});
    SmallVector<Share> next;
    mlir::gpu::BarrierOp::create(build.ops, build.loc);
    if (layout.flipsLeft)
      loader.addUpColumns(sums.take_back(loader.columnSums()), columnSums);
    for (auto [number, place] : llvm::enumerate(places)) {
      if (number > 0)
        waitForPiece();
      storePiece(sums.slice(place.first * tile.matrixColumns + place.second, matricesAtOnce));
      if (number + 1 < places.size())
        next = sharesOf(places[number + 1]);
      waitForPiece();
      finishShares(shares);
      std::swap(shares, next);
    }
  }

  void storePiece(ArrayRef<Value> sums) {
    Value mine = build.multiply(subgroup, pieceSize);
    for (auto [number, sum] : llvm::enumerate(sums))
      mlir::gpu::SubgroupMmaStoreMatrixOp::create(build.ops, build.loc, sum, pieces,
                                                  ValueRange{build.add(mine, int64_t(number) * (kMatrixSize / 4))},
                                                  build.ops.getIndexAttr(pitch), /*transpose=*/UnitAttr());
  }

  /// Returns the shares of the piece that begins with the subgroup's matrix at `place` (row, column). Sets alternate
  /// between the quads of the piece.
  SmallVector<Share> sharesOf(std::pair<int64_t, int64_t> place) {
    const int64_t iterations = pieceSize / kSubgroup;
    SmallVector<Share> shares;
    for (int64_t first = 0; first < iterations; first += tile.parts) {
      Share share;
      Value iteration = build.add(set, first);
      if (first + tile.parts > iterations) {
        share.isMine = build.isBelow(iteration, build.constant(iterations));
        iteration = build.least(iteration, build.constant(iterations - 1));
      }
      share.number = build.add(lane, build.multiply(iteration, kSubgroup));
      share.row =
          build.add(build.add(build.add(grid.firstRow, build.multiply(myRow, kMatrixSize)), place.first * kMatrixSize),
                    build.divide(share.number, pitch));
      Value quad = build.add(build.add(grid.firstQuad, build.multiply(myColumn, kMatrixSize / 4)),
                             place.second * (kMatrixSize / 4));
      share.quad = build.add(quad, build.remainder(share.number, pitch));
      share.loaded = grid.loadForResult(share.row, share.quad);
      shares.push_back(std::move(share));
    }
    return shares;
  }

  void finishShares(ArrayRef<Share> shares) {
    const SmallVector<Value> totals = llvm::map_to_vector(shares, [&](const Share &share) { return totalOf(share); });
    for (auto [share, total] : llvm::zip_equal(shares, totals)) {
      auto finishIt = [&, &share = share, total = total] {
        build.onlyIf(grid.writes(share.row), [&] { grid.finish(total, share.row, share.quad, share.loaded); });
      };
      build.onlyIf(share.isMine, finishIt);
    }
  }

  /// Returns the sum over all sets, added in their order.
  Value totalOf(const Share &share) {
    Value first = build.add(build.multiply(build.remainder(subgroup, setSize), pieceSize), share.number), total;
    for (int64_t part = 0; part < tile.parts; ++part) {
      Value bits = memref::LoadOp::create(build.ops, build.loc, pieces,
                                          ValueRange{build.add(first, part * setSize * pieceSize)});
      Value sum = vector::BitCastOp::create(build.ops, build.loc, grid.quadType(), bits);
      total = total ? grid.sumOf(total, sum) : sum;
    }
    if (!layout.flipsLeft)
      return total;
    Value quad = build.subtract(share.quad, grid.firstQuad);
    Value ofColumns = memref::LoadOp::create(build.ops, build.loc, columnSums, ValueRange{quad});
    return arith::SubIOp::create(build.ops, build.loc, total, ofColumns);
  }

  ContractionGrid &grid;
  IndexBuilder &build;
  const GpuTile::Cooperative &tile;
  const SharedLayout layout;
  TileLoader loader;
  const int64_t setSize; ///< Number of subgroups of a set, which compute the whole tile together.
  mlir::gpu::MMAMatrixType leftMatrix, rightMatrix, sumMatrix;
  Value subgroup, lane;
  Value set;                        ///< Index of the set. Sets divide the steps of every part.
  Value myRow, myColumn;            ///< Row and column of the subgroup's first matrix.
  Value pieces;                     ///< Memory of an operand, which the sums reuse.
  Value columnSums;                 ///< Array of -128 times the sums of columns; null if the left operand is signed.
  int64_t matricesAtOnce = 1;       ///< Number of matrices side by side that form a piece.
  int64_t pitch = 0, pieceSize = 0; ///< Number of quads of a row of a piece; number of quads of a piece.
};

} // namespace

void emitCooperativeTile(ContractionGrid &grid, const GpuTile::Cooperative &tile) {
  CooperativeTile(grid, tile).emit();
}

} // namespace nacre::codegen::gpu
