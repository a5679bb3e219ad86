// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/TileLoader.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

TileLoader::TileLoader(ContractionGrid &grid, const SharedLayout &layout, int64_t threads)
    : grid(grid), contraction(grid.contraction), build(grid.build), layout(layout), threads(threads),
      depthSize(contraction.depthSize()) {
  auto chunkOf = [&](Type element) {
    return VectorType::get({4}, layout.chunk == 8 ? build.ops.getI32Type() : element);
  };
  left = grid.function.shared(layout.buffers * layout.leftChunks(), chunkOf(layout.leftType));
  right = grid.function.shared(layout.buffers * layout.rightChunks(), chunkOf(layout.rightType));

  const unsigned lhs = Contraction::Lhs, rhs = Contraction::Rhs;
  if (grid.reach(lhs) == Reach::Rows && !layout.leftAcross)
    rowsAtOnce = grid.width(lhs);
  lefts = layout.leftAcross
              ? positions(layout.depth, layout.rows / layout.chunk, layout.leftPitch)
              : positions(layout.rows / rowsAtOnce, layout.depth / layout.chunk, rowsAtOnce * layout.leftPitch);
  sharesChunk = threads % (layout.depth / layout.chunk) == 0;
  for (ChunkPosition &position : lefts)
    if (layout.leftAcross) {
      position.line = build.add(position.line, position.further);
      position.from = build.add(grid.base(lhs), grid.tileRowAddress(lhs, build.multiply(position.chunk, layout.chunk)));
    } else if (grid.left)
      position.row = grid.left->row(position.line, position.further);
    else
      position.from = build.add(grid.base(lhs), grid.tileRowAddress(lhs, build.multiply(position.line, rowsAtOnce),
                                                                    position.further * rowsAtOnce));
  if (layout.turnsRight) {
    columnsAtOnce = 4;
    rights = positions(layout.columns / columnsAtOnce, layout.depth / layout.chunk, columnsAtOnce * layout.rightPitch,
                       /*together=*/4);
    return;
  }
  if (grid.reach(rhs) == Reach::Depth && !layout.rightAcross)
    stepsAtOnce = grid.width(rhs);
  else if (grid.readsPairs())
    stepsAtOnce = 2;
  const int64_t lines = layout.depth / stepsAtOnce;
  // Adjacent invocations load adjacent vectors of steps of a column. A cache fetches two vectors of four f32 together,
  // and four adjacent vectors are even faster.
  const int64_t together = stepsAtOnce != 4 ? 1 : lines % 4 == 0 ? 4 : lines % 2 == 0 ? 2 : 1;
  rights = layout.rightAcross
               ? positions(layout.columns, layout.depth / layout.chunk, layout.rightPitch)
               : positions(lines, layout.columns / layout.chunk, stepsAtOnce * layout.rightPitch, together);
  for (ChunkPosition &position : rights) {
    position.line = build.add(position.line, position.further);
    if (layout.rightAcross) {
      Value column = build.least(build.add(build.multiply(grid.firstQuad, 4), position.line),
                                 build.constant(contraction.columns.size - 1));
      position.from =
          build.add(grid.base(rhs), build.multiply(column, grid.scaled(rhs, contraction.columns.strides[rhs])));
    }
  }
}

SmallVector<TileLoader::ChunkPosition> TileLoader::positions(int64_t lines, int64_t chunksPerLine, int64_t pitch,
                                                             int64_t together) {
  SmallVector<ChunkPosition> list;
  Value me = grid.function.invocation;
  const int64_t count = lines * chunksPerLine;
  for (int64_t taken = 0; taken < count; taken += threads) {
    ChunkPosition position;
    if (together > 1) {
      Value number = build.add(me, taken), group = build.divide(number, together);
      position.line =
          build.add(build.multiply(build.divide(group, chunksPerLine), together), build.remainder(number, together));
      position.chunk = build.remainder(group, chunksPerLine);
    } else if (threads % chunksPerLine == 0) { // Each invocation has the same chunk of equidistant lines.
      position.line = build.divide(me, chunksPerLine);
      position.chunk = build.remainder(me, chunksPerLine);
      position.further = taken / chunksPerLine;
    } else {
      Value number = build.add(me, taken);
      position.line = build.divide(number, chunksPerLine);
      position.chunk = build.remainder(number, chunksPerLine);
    }
    position.to = build.add(build.add(build.multiply(position.line, pitch), position.chunk), position.further * pitch);
    if (taken + threads > count) {
      position.mine = build.isBelow(me, build.constant(count - taken));
      position.line = build.least(position.line, build.constant(lines - 1 - position.further));
    }
    list.push_back(position);
  }
  return list;
}

int64_t TileLoader::parts() const { return llvm::divideCeil(depthSize, layout.depth); }

Value TileLoader::partAfter(Value part, int64_t ahead) {
  return build.least(build.add(part, ahead), build.constant(parts() - 1));
}

//===----------------------------------------------------------------------===//
// To registers
//===----------------------------------------------------------------------===//

SmallVector<Value> TileLoader::load(Value part) {
  Value first = build.multiply(part, layout.depth);
  SmallVector<Value> chunks;
  if (grid.left)
    chunks = loadForSource(first);
  else
    for (const ChunkPosition &position : lefts) {
      if (layout.leftAcross)
        chunks.push_back(loadLeftAcross(position, first));
      else if (rowsAtOnce > 1)
        llvm::append_range(chunks, loadLeftRows(position, first));
      else
        chunks.push_back(loadLeft(position, first));
    }
  for (const ChunkPosition &position : rights) {
    if (layout.turnsRight)
      llvm::append_range(chunks, loadRightColumns(position, first));
    else if (layout.rightAcross)
      chunks.push_back(loadRightAcross(position, first));
    else if (grid.readsPairs())
      llvm::append_range(chunks, loadRightPair(position, first));
    else if (stepsAtOnce > 1)
      llvm::append_range(chunks, loadRightStepsIfMine(position, first));
    else
      chunks.push_back(loadRight(position, first));
  }
  if (hasTail())
    chunks.push_back(first);
  return chunks;
}

SmallVector<Value> TileLoader::loadFirst() {
  if (!grid.left)
    return load(build.constant(0));
  if (hasTail())
    grid.left->prepare();
  SmallVector<Value> chunks = load(build.constant(0));
  if (!hasTail())
    grid.left->prepare();
  return chunks;
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

SmallVector<Value> TileLoader::store(ArrayRef<Value> chunks, Value buffer) {
  auto put = [&](ValueRange lines, const ChunkPosition &position, Value array, int64_t size, int64_t pitch) {
    build.onlyIf(position.mine, [&] {
      for (auto [line, chunk] : llvm::enumerate(lines)) {
        Value to = build.add(position.to, int64_t(line) * pitch);
        memref::StoreOp::create(build.ops, build.loc, chunk, array,
                                ValueRange{build.add(to, build.multiply(buffer, size))});
      }
    });
  };
  Value first = hasTail() ? chunks.consume_back() : Value();
  const int64_t rightsAtOnce = stepsAtOnce * columnsAtOnce;
  SmallVector<Value> ofRight(chunks.take_back(rights.size() * rightsAtOnce));
  SmallVector<Value> ofLeft(chunks.drop_back(ofRight.size()));
  if (grid.left)
    ofLeft = makeLefts(ofLeft);
  const bool masksLeft = hasTail() && !grid.left && (layout.leftAcross || hasWholeChunks());
  auto firstStep = [&](const ChunkPosition &position, bool isAlong, int64_t linesAtOnce) {
    return build.add(first, isAlong ? build.multiply(position.chunk, layout.chunk)
                                    : build.multiply(position.line, linesAtOnce));
  };
  for (auto [number, position] : llvm::enumerate(lefts)) {
    MutableArrayRef<Value> lines = MutableArrayRef(ofLeft).slice(number * rowsAtOnce, rowsAtOnce);
    if (masksLeft)
      for (Value &chunk : lines)
        chunk = grid.zeroBeyond(firstStep(position, !layout.leftAcross, 1), chunk);
    if (layout.flipsLeft) // Steps beyond the last one are no longer zero, but those of the right operand are.
      for (Value &chunk : lines)
        chunk = lessSignBits(build.ops, build.loc, chunk);
    put(lines, position, left, layout.leftChunks(), layout.leftPitch);
  }
  for (auto [number, position] : llvm::enumerate(rights)) {
    MutableArrayRef<Value> lines = MutableArrayRef(ofRight).slice(number * rightsAtOnce, rightsAtOnce);
    // Steps that are loaded together are either all inside the reduction or all beyond it, or zero already.
    if (hasTail() && (!layout.turnsRight || hasWholeChunks()))
      for (Value &chunk : lines)
        chunk = grid.zeroBeyond(firstStep(position, layout.rightAcross, stepsAtOnce), chunk);
    put(lines, position, right, layout.rightChunks(), layout.rightPitch);
  }
  return ofRight;
}

//===----------------------------------------------------------------------===//
// Sums of columns
//===----------------------------------------------------------------------===//

void TileLoader::addColumns(ArrayRef<Value> chunks, Value weight, MutableArrayRef<Value> sums) {
  for (auto [number, sum] : llvm::enumerate(sums))
    sum = gpu::addColumns(build.ops, build.loc, chunks.slice(number * columnsAtOnce, columnsAtOnce), weight, sum);
}

void TileLoader::addUpColumns(ArrayRef<Value> sums, Value array) {
  const int64_t quads = layout.columns / columnsAtOnce;
  auto barrier = [&] { mlir::gpu::BarrierOp::create(build.ops, build.loc); };
  for (auto [position, sum] : llvm::zip_equal(rights, sums)) {
    Value at = build.add(position.line, build.multiply(position.chunk, quads));
    build.onlyIf(position.mine,
                 [&, sum = sum] { memref::StoreOp::create(build.ops, build.loc, sum, array, ValueRange{at}); });
  }
  barrier();
  for (int64_t first = 0; first < quads; first += threads) {
    Value quad = build.add(grid.function.invocation, first);
    build.onlyIf(first + threads > quads ? build.isBelow(quad, build.constant(quads)) : Value(), [&] {
      Value total;
      for (int64_t chunk = 0; chunk < layout.depth / layout.chunk; ++chunk) {
        Value sum = memref::LoadOp::create(build.ops, build.loc, array, ValueRange{build.add(quad, chunk * quads)});
        total = total ? arith::AddIOp::create(build.ops, build.loc, total, sum).getResult() : sum;
      }
      memref::StoreOp::create(build.ops, build.loc, total, array, ValueRange{quad});
    });
  }
  barrier();
}

//===----------------------------------------------------------------------===//
// Part by part
//===----------------------------------------------------------------------===//

SmallVector<Value> TileLoader::forEachPart(int64_t count, int64_t unroll, SmallVector<Value> carried, EmitPart emit) {
  auto emitPart = [&](Value first, int64_t number) {
    Value part = build.add(first, number);
    auto bufferOf = [&](int64_t ahead) {
      return unroll == 2 ? build.constant((number + ahead) % 2) : build.remainder(build.add(part, ahead), 2);
    };
    carried = emit(part, bufferOf(0), bufferOf(1), std::move(carried));
  };
  const int64_t looped = count / unroll * unroll;
  if (looped > 0) {
    auto loop = scf::ForOp::create(build.ops, build.loc, build.constant(0), build.constant(looped),
                                   build.constant(unroll), carried);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(loop.getBody());
    carried.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    for (int64_t number = 0; number < unroll; ++number)
      emitPart(loop.getInductionVar(), number);
    scf::YieldOp::create(build.ops, build.loc, carried);
    carried.assign(loop.result_begin(), loop.result_end());
  }
  for (int64_t number = 0; number < count - looped; ++number)
    emitPart(build.constant(looped), number);
  return carried;
}

} // namespace nacre::codegen::gpu
