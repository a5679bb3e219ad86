// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/TileLoader.h"

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
  if (grid.reach(rhs) == Reach::Depth && !layout.rightAcross)
    stepsAtOnce = grid.width(rhs);
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

/// Returns the address of step `offset` of the part that begins at step `first`. If a part is within one iteration of
/// the outer loops, the address is linear in the step.
Value TileLoader::depthAddress(unsigned operand, Value first, Value offset) {
  if (contraction.depth.back().size % layout.depth != 0)
    return grid.depthAddress(operand, build.add(first, offset));
  const int64_t stride = contraction.depth.back().strides[operand];
  Value inPart = grid.reach(operand) == Reach::Depth ? build.multiply(build.divide(offset, grid.width(operand)), stride)
                                                     : build.multiply(offset, grid.scaled(operand, stride));
  return build.add(grid.depthAddress(operand, first), inPart);
}

/// Converts a quad to `element`. It then needs half the registers until it is stored.
Value TileLoader::narrowed(Value quad, Type element) {
  if (getElementTypeOrSelf(quad.getType()) == element)
    return quad;
  return arith::TruncFOp::create(build.ops, build.loc, VectorType::get({4}, element), quad);
}

/// Joins two quads of 16-bit elements to a chunk of eight.
Value TileLoader::joined(Value low, Value high) {
  auto pair = VectorType::get({2}, build.ops.getI32Type());
  SmallVector<Value, 4> words;
  for (Value quad : {low, high}) {
    Value bits = vector::BitCastOp::create(build.ops, build.loc, pair, quad);
    for (int64_t word = 0; word < 2; ++word)
      words.push_back(vector::ExtractOp::create(build.ops, build.loc, bits, word));
  }
  return vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({4}, build.ops.getI32Type()), words);
}

/// Loads a step that may be beyond the last one. Masking immediately would wait for the load, so callers may mask
/// later.
Value TileLoader::loadInTail(Value step, bool isMaskedLater, llvm::function_ref<Value(Value)> load) {
  return hasTail() && isMaskedLater ? load(grid.someStep(step)) : grid.loadStep(step, hasTail(), load);
}

Value TileLoader::loadLeftQuad(Value row, Value first, Value offset) {
  auto loadAt = [&](Value at) {
    return loadInTail(build.add(first, at), hasWholeChunks(), [&](Value step) {
      Value depth = hasTail() ? grid.depthAddress(Contraction::Lhs, step) : depthAddress(Contraction::Lhs, first, at);
      return grid.load(Contraction::Lhs, build.add(row, depth));
    });
  };
  if (grid.reach(Contraction::Lhs) == Reach::Depth)
    return loadAt(offset);
  SmallVector<Value, 4> steps;
  for (int64_t step = 0; step < 4; ++step)
    steps.push_back(loadAt(build.add(offset, step)));
  return vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({4}, steps.front().getType()), steps);
}

Value TileLoader::loadLeft(const ChunkPosition &position, Value first) {
  Value offset = build.multiply(position.chunk, layout.chunk);
  if (grid.width(Contraction::Lhs) == 8)
    return loadLeftQuad(position.from, first, offset); // This load returns all eight steps.
  auto quad = [&](int64_t number) {
    return narrowed(loadLeftQuad(position.from, first, build.add(offset, 4 * number)), layout.leftType);
  };
  if (layout.chunk == 4)
    return quad(0);
  Value low = quad(0);
  return joined(low, quad(1));
}

/// Transposes vectors to chunks. The chunk with index i has lane i of each vector.
SmallVector<Value> TileLoader::turned(ArrayRef<Value> vectors, int64_t lanes) {
  SmallVector<Value> chunks;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> quads;
    for (int64_t from = 0; from < layout.chunk; from += 4) {
      SmallVector<Value, 4> elements;
      for (Value vector : vectors.slice(from, 4))
        elements.push_back(vector::ExtractOp::create(build.ops, build.loc, vector, lane));
      quads.push_back(vector::FromElementsOp::create(build.ops, build.loc,
                                                     VectorType::get({4}, elements.front().getType()), elements));
    }
    chunks.push_back(layout.chunk == 4 ? quads[0] : joined(quads[0], quads[1]));
  }
  return chunks;
}

/// Loads a chunk of each of several rows. Each load returns one step of all these rows.
SmallVector<Value> TileLoader::loadLeftRows(const ChunkPosition &position, Value first) {
  const unsigned lhs = Contraction::Lhs;
  const ContractionLoop &run = contraction.depth.back();
  Value chunk = build.multiply(position.chunk, layout.chunk), from;
  if (!hasTail() && run.size % layout.chunk == 0) // All steps of a chunk are in one run.
    from = build.add(position.from, depthAddress(lhs, first, chunk));
  SmallVector<Value> steps;
  for (int64_t step = 0; step < layout.chunk; ++step) {
    Value offset = build.add(chunk, step);
    Value rows = loadInTail(build.add(first, offset), hasWholeChunks(), [&](Value inside) {
      if (from)
        return grid.load(lhs, build.add(from, step * grid.scaled(lhs, run.strides[lhs])));
      Value depth = hasTail() ? grid.depthAddress(lhs, inside) : depthAddress(lhs, first, offset);
      return grid.load(lhs, build.add(position.from, depth));
    });
    steps.push_back(narrowed(rows, layout.leftType));
  }
  return turned(steps, rowsAtOnce);
}

/// Loads a chunk of rows for one step.
Value TileLoader::loadLeftAcross(const ChunkPosition &position, Value first) {
  const unsigned lhs = Contraction::Lhs;
  return loadInTail(build.add(first, position.line), /*isMaskedLater=*/true, [&](Value step) {
    Value depth = hasTail() ? grid.depthAddress(lhs, step) : depthAddress(lhs, first, position.line);
    return grid.load(lhs, build.add(position.from, depth));
  });
}

/// Loads a chunk of steps for one column.
Value TileLoader::loadRightAcross(const ChunkPosition &position, Value first) {
  const unsigned rhs = Contraction::Rhs;
  Value offset = build.multiply(position.chunk, layout.chunk);
  return loadInTail(build.add(first, offset), /*isMaskedLater=*/true, [&](Value step) {
    Value depth = hasTail() ? grid.depthAddress(rhs, step) : depthAddress(rhs, first, offset);
    return grid.load(rhs, build.add(position.from, depth));
  });
}

Value TileLoader::loadRight(const ChunkPosition &position, Value first) {
  const unsigned rhs = Contraction::Rhs;
  const int64_t width = grid.width(rhs) == 8 ? 8 : 4, quads = layout.chunk / width;
  // If the width equals a chunk, tiles consist of whole chunks, and begin at a whole chunk.
  Value firstQuad = build.add(build.divide(grid.firstQuad, width / 4), build.multiply(position.chunk, quads));
  auto quad = [&](int64_t number) {
    Value at = grid.clampedQuad(build.add(firstQuad, number), width);
    return loadInTail(build.add(first, position.line), /*isMaskedLater=*/true, [&](Value step) {
      Value depth = hasTail() ? grid.depthAddress(rhs, step) : depthAddress(rhs, first, position.line);
      return grid.loadQuad(rhs, build.add(grid.base(rhs), depth), at);
    });
  };
  if (width == 8)
    return quad(0);
  Value low = narrowed(quad(0), layout.rightType);
  if (layout.chunk == 4)
    return low;
  return joined(low, narrowed(quad(1), layout.rightType));
}

/// Loads a chunk of each of several steps. Each load returns all these steps for one column.
SmallVector<Value> TileLoader::loadRightSteps(const ChunkPosition &position, Value first) {
  const unsigned rhs = Contraction::Rhs;
  Value offset = build.multiply(position.line, stepsAtOnce);
  Value depth =
      hasTail() ? grid.depthAddress(rhs, grid.someStep(build.add(first, offset))) : depthAddress(rhs, first, offset);
  Value from = build.add(grid.base(rhs), depth);
  Value firstColumn = build.add(build.multiply(grid.firstQuad, 4), build.multiply(position.chunk, layout.chunk));
  SmallVector<Value> columns;
  for (int64_t column = 0; column < layout.chunk; ++column) {
    Value at = build.least(build.add(firstColumn, column), build.constant(contraction.columns.size - 1));
    at = build.multiply(at, grid.scaled(rhs, contraction.columns.strides[rhs]));
    columns.push_back(narrowed(grid.load(rhs, build.add(from, at)), layout.rightType));
  }
  return turned(columns, stepsAtOnce);
}

/// Like loadRightSteps(), but skips the loads of invocations without a chunk. Many of these loads would access the same
/// few cache lines.
SmallVector<Value> TileLoader::loadRightStepsIfMine(const ChunkPosition &position, Value first) {
  if (!position.mine || layout.chunk != 4)
    return loadRightSteps(position, first);
  const SmallVector<Type> types(stepsAtOnce, VectorType::get({4}, layout.rightType));
  auto branch = scf::IfOp::create(build.ops, build.loc, types, position.mine, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(build.ops);
  build.ops.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(build.ops, build.loc, loadRightSteps(position, first));
  build.ops.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(types.front()));
  scf::YieldOp::create(build.ops, build.loc, SmallVector<Value>(stepsAtOnce, zero));
  return llvm::to_vector_of<Value>(branch.getResults());
}

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
    if (layout.rightAcross)
      chunks.push_back(loadRightAcross(position, first));
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

void TileLoader::store(ArrayRef<Value> chunks, Value buffer) {
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
  SmallVector<Value> ofRight(chunks.take_back(rights.size() * stepsAtOnce));
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
    put(lines, position, left, layout.leftChunks(), layout.leftPitch);
  }
  for (auto [number, position] : llvm::enumerate(rights)) {
    MutableArrayRef<Value> lines = MutableArrayRef(ofRight).slice(number * stepsAtOnce, stepsAtOnce);
    if (hasTail()) // Steps that are loaded together are either all inside the reduction or all beyond it.
      for (Value &chunk : lines)
        chunk = grid.zeroBeyond(firstStep(position, layout.rightAcross, stepsAtOnce), chunk);
    put(lines, position, right, layout.rightChunks(), layout.rightPitch);
  }
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
