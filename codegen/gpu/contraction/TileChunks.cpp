// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the part of TileLoader that loads single chunks of both operands to registers, transposed if necessary.
// Why:   TileLoader.h explains the class.

#include "codegen/gpu/contraction/TileLoader.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre::codegen::gpu {

/// Returns the address of step `offset` of the part that begins at step `first`. If a part is within one iteration of
/// the outer loops, the address is linear in the step.
Value TileLoader::depthAddress(unsigned operand, Value first, Value offset) {
  if (contraction.depth.back().size % layout.depth != 0 || grid.overlaps(operand))
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
  const int64_t stepsOfLoad = grid.reach(Contraction::Lhs) == Reach::Depth ? grid.width(Contraction::Lhs) : 1;
  if (stepsOfLoad >= 4)
    return loadAt(offset);
  SmallVector<Value, 4> steps;
  for (int64_t step = 0; step < 4; step += stepsOfLoad) {
    Value loaded = loadAt(build.add(offset, step));
    if (stepsOfLoad == 1)
      steps.push_back(loaded);
    else
      for (int64_t lane = 0; lane < stepsOfLoad; ++lane)
        steps.push_back(vector::ExtractOp::create(build.ops, build.loc, loaded, lane));
  }
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

/// Loads a chunk of words for each of four columns. Each load returns a word of all of them, or two words of two.
SmallVector<Value> TileLoader::loadRightColumns(const ChunkPosition &position, Value first) {
  const unsigned rhs = Contraction::Rhs;
  Value offset = build.multiply(position.chunk, layout.chunk);
  Value quad = grid.clampedQuad(build.add(grid.firstQuad, position.line));
  auto addressOf = [&](int64_t number, Value step) {
    Value depth = hasTail() ? grid.depthAddress(rhs, step) : depthAddress(rhs, first, build.add(offset, number));
    return build.add(grid.base(rhs), depth);
  };
  SmallVector<Value> steps;
  for (int64_t number = 0; number < layout.chunk; ++number) {
    Value step = build.add(first, build.add(offset, number));
    if (!grid.readsPairs()) {
      steps.push_back(loadInTail(step, hasWholeChunks(),
                                 [&](Value inside) { return grid.loadQuad(rhs, addressOf(number, inside), quad); }));
    } else if (number % 2 == 0) { // Both steps are inside the reduction, or beyond it.
      for (Value loaded : grid.loadPair(addressOf(number, hasTail() ? grid.someStep(step) : step), quad))
        steps.push_back(hasTail() && !hasWholeChunks() ? grid.zeroBeyond(step, loaded) : loaded);
    }
  }
  return turned(steps, columnsAtOnce);
}

/// Loads a chunk of each of two steps, whose words are adjacent.
std::array<Value, 2> TileLoader::loadRightPair(const ChunkPosition &position, Value first) {
  const unsigned rhs = Contraction::Rhs;
  Value offset = build.multiply(position.line, 2);
  Value depth =
      hasTail() ? grid.depthAddress(rhs, grid.someStep(build.add(first, offset))) : depthAddress(rhs, first, offset);
  return grid.loadPair(build.add(grid.base(rhs), depth), grid.clampedQuad(build.add(grid.firstQuad, position.chunk)));
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

} // namespace nacre::codegen::gpu
