// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/TileLoader.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

TileLoader::TileLoader(ContractionGrid &grid, const SharedLayout &layout, int64_t threads)
    : grid(grid), contraction(grid.contraction), build(grid.build), layout(layout), threads(threads),
      depthQuads(layout.depth / 4), columnQuads(layout.columns / 4), depthSize(contraction.depthSize()) {
  assert(layout.rows * depthQuads % threads == 0 && layout.depth * columnQuads % threads == 0 &&
         threads % depthQuads == 0 && threads % columnQuads == 0 && "invocations must share the loads evenly");
  left = grid.function.shared(layout.buffers * layout.leftQuads(), VectorType::get({4}, layout.leftType));
  right = grid.function.shared(layout.buffers * layout.rightQuads(), VectorType::get({4}, layout.rightType));

  Value me = grid.function.invocation;
  leftQuad = build.remainder(me, depthQuads);
  Value leftRow = build.divide(me, depthQuads), last = grid.lastRow();
  for (int64_t i = 0; i < layout.rows * depthQuads / threads; ++i) {
    Value row = build.add(leftRow, i * (threads / depthQuads));
    leftTo.push_back(build.add(build.multiply(row, layout.leftPitch), leftQuad));
    leftFrom.push_back(build.add(grid.base(Contraction::Lhs),
                                 grid.rowAddress(Contraction::Lhs, build.least(build.add(grid.firstRow, row), last))));
  }
  Value rightQuad = build.remainder(me, columnQuads);
  rightStep = build.divide(me, columnQuads);
  rightColumn = grid.clampedQuad(build.add(grid.firstQuad, rightQuad));
  for (int64_t i = 0; i < layout.depth * columnQuads / threads; ++i)
    rightTo.push_back(build.add(build.multiply(build.add(rightStep, rightStepOf(i)), layout.rightPitch), rightQuad));
}

int64_t TileLoader::parts() const { return llvm::divideCeil(depthSize, layout.depth); }

/// Step `offset` of the part that begins at `first`: one index where a part lies within the innermost loop.
Value TileLoader::depthAddress(unsigned operand, Value first, Value offset) {
  if (contraction.depth.back().size % layout.depth != 0)
    return grid.depthAddress(operand, build.add(first, offset));
  const int64_t stride = contraction.depth.back().strides[operand];
  Value inPart = grid.reach(operand) == Reach::Depth ? build.multiply(build.divide(offset, 4), stride)
                                                     : build.multiply(offset, grid.scaled(operand, stride));
  return build.add(grid.depthAddress(operand, first), inPart);
}

Value TileLoader::loadLeft(Value row, Value first) {
  auto loadAt = [&](Value at) {
    return grid.loadStep(build.add(first, at), hasTail(), [&](Value step) {
      Value depth = hasTail() ? grid.depthAddress(Contraction::Lhs, step) : depthAddress(Contraction::Lhs, first, at);
      return grid.load(Contraction::Lhs, build.add(row, depth));
    });
  };
  Value offset = build.multiply(leftQuad, 4);
  if (grid.reach(Contraction::Lhs) == Reach::Depth)
    return loadAt(offset);
  SmallVector<Value, 4> steps;
  for (int64_t step = 0; step < 4; ++step)
    steps.push_back(loadAt(build.add(offset, step)));
  return vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({4}, steps.front().getType()), steps);
}

SmallVector<Value> TileLoader::load(Value part) {
  SmallVector<Value> quads;
  Value first = build.multiply(part, layout.depth);
  for (Value row : leftFrom)
    quads.push_back(loadLeft(row, first));
  for (unsigned i = 0; i < rightTo.size(); ++i) {
    Value mine = build.add(rightStep, rightStepOf(i));
    quads.push_back(grid.loadStep(build.add(first, mine), hasTail(), [&](Value step) {
      Value depth = hasTail() ? grid.depthAddress(Contraction::Rhs, step) : depthAddress(Contraction::Rhs, first, mine);
      return grid.loadQuad(Contraction::Rhs, build.add(grid.base(Contraction::Rhs), depth), rightColumn);
    }));
  }
  // Narrowed here, so that what waits in registers is half as much.
  for (auto [number, quad] : llvm::enumerate(quads)) {
    auto type = VectorType::get({4}, number < leftFrom.size() ? layout.leftType : layout.rightType);
    if (quad.getType() != type)
      quad = arith::TruncFOp::create(build.ops, build.loc, type, quad);
  }
  return quads;
}

void TileLoader::store(ArrayRef<Value> quads, Value buffer) {
  auto put = [&](Value quad, Value array, Value at, int64_t size) {
    memref::StoreOp::create(build.ops, build.loc, quad, array, ValueRange{build.add(at, build.multiply(buffer, size))});
  };
  for (unsigned i = 0; i < leftTo.size(); ++i)
    put(quads[i], left, leftTo[i], layout.leftQuads());
  for (unsigned i = 0; i < rightTo.size(); ++i)
    put(quads[leftTo.size() + i], right, rightTo[i], layout.rightQuads());
}

} // namespace nacre::codegen::gpu
