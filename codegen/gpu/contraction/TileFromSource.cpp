// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loads a tile's left operand if a source computes it from values in memory.
// Why:   like other chunks, these values are loaded to registers while the previous part is multiplied.
// How:   all loads for the chunks of a part precede the computation of the first chunk.

#include "codegen/gpu/contraction/TileLoader.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {

Value TileLoader::asChunk(ValueRange quads) {
  if (layout.chunk == 4)
    return narrowed(quads.front(), layout.leftType);
  Value low = narrowed(quads[0], layout.leftType);
  return joined(low, narrowed(quads[1], layout.leftType));
}

/// Returns a mask for each quad of steps from `step` on. A lane is true if its step belongs to the reduction.
SmallVector<Value> TileLoader::insideOf(Value step) {
  SmallVector<Value> inside;
  for (int64_t quad = 0; quad < layout.chunk / 4; ++quad) {
    auto isInside = [&](int64_t lane) {
      return build.isBelow(build.add(step, 4 * quad + lane), build.constant(depthSize));
    };
    auto lanes = VectorType::get({4}, build.ops.getI1Type());
    if (depthSize % 4 == 0)
      inside.push_back(vector::BroadcastOp::create(build.ops, build.loc, lanes, isInside(0)));
    else
      inside.push_back(vector::FromElementsOp::create(
          build.ops, build.loc, lanes, SmallVector<Value>{isInside(0), isInside(1), isInside(2), isInside(3)}));
  }
  return inside;
}

/// Loads the inputs of chunks, first the inputs that all chunks share. These begin with the masks of insideOf() if the
/// last part is not full, and with the first step if chunks are written.
SmallVector<Value> TileLoader::loadForSource(Value first) {
  const int64_t quads = layout.chunk / 4;
  SmallVector<Value> loaded;
  Value step;
  for (const ChunkPosition &position : lefts) {
    if (!step || !sharesChunk) {
      const size_t before = loaded.size();
      step = build.add(first, build.multiply(position.chunk, layout.chunk));
      if (hasTail())
        llvm::append_range(loaded, insideOf(step));
      if (grid.left->isWritten())
        loaded.push_back(step);
      if (hasTail())
        step = grid.someStep(step);
      llvm::append_range(loaded, grid.left->loadShared(step, quads));
      sharedLoads = loaded.size() - before;
    }
    LeftSource::Values own = grid.left->load(position.row, step, quads);
    loadsOfChunk = own.size();
    llvm::append_range(loaded, own);
  }
  return loaded;
}

SmallVector<Value> TileLoader::makeLefts(ArrayRef<Value> loaded) {
  const int64_t quads = layout.chunk / 4, masks = hasTail() ? quads : 0, steps = grid.left->isWritten() ? 1 : 0;
  SmallVector<Value> chunks;
  ArrayRef<Value> shared;
  for (const ChunkPosition &position : lefts) {
    if (chunks.empty() || !sharesChunk) {
      shared = loaded.take_front(sharedLoads);
      loaded = loaded.drop_front(sharedLoads);
    }
    LeftSource::Values made =
        grid.left->make(position.row, shared.drop_front(masks + steps), loaded.take_front(loadsOfChunk), quads);
    if (steps > 0)
      build.onlyIf(position.mine, [&] { grid.left->write(position.row, shared[masks], made); });
    for (auto [quad, inside] : llvm::zip(made, shared.take_front(masks))) {
      Value zero = arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(quad.getType()));
      quad = arith::SelectOp::create(build.ops, build.loc, inside, quad, zero);
    }
    chunks.push_back(asChunk(made));
    loaded = loaded.drop_front(loadsOfChunk);
  }
  return chunks;
}

} // namespace nacre::codegen::gpu
