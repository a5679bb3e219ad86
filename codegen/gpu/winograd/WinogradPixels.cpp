// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/winograd/WinogradPixels.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

WinogradPixels::WinogradPixels(ContractionGrid &grid, const WinogradConvolution &convolution, int64_t tiles)
    : grid(grid), build(grid.build), convolution(convolution), plan(planOf(convolution)), tiles(tiles) {}

WinogradPixels::Origin WinogradPixels::originOf(Value number) {
  Origin origin;
  const int64_t count = plan.tiles(), across = plan.across(), outputs = plan.method.outputs;
  Value flat = build.add(build.multiply(grid.rowTile, tiles), number);
  if (count % tiles != 0) {
    origin.exists = build.isBelow(flat, build.constant(count));
    flat = build.least(flat, build.constant(count - 1));
  }
  const int64_t height = convolution.down.size, width = convolution.across.size;
  origin.x = build.multiply(build.remainder(flat, across), outputs);
  origin.y = build.multiply(build.remainder(build.divide(flat, across), plan.down()), outputs);
  Value image = build.divide(flat, plan.tilesOfImage());
  origin.row = build.add(build.multiply(build.add(build.multiply(image, height), origin.y), width), origin.x);
  return origin;
}

Value WinogradPixels::writesAny() {
  const Origin first = originOf(build.constant(0)), last = originOf(build.constant(tiles - 1));
  // This is an upper bound, because the last row of pixels may end earlier.
  return grid.writesAny(first.row, build.add(last.row, plan.method.outputs * convolution.across.size));
}

Value WinogradPixels::stepsOf(const ContractionLoop &loop, Value first, Value further) {
  const unsigned lhs = Contraction::Lhs;
  if (plan.rest(loop.size) != 0)
    further =
        build.least(further, build.subtract(build.constant(plan.lastElement(loop.size, plan.method.inputs())), first));
  return build.multiply(further, grid.scaled(lhs, loop.strides[lhs]));
}

Value WinogradPixels::addressOf(const Origin &origin, Value down, Value across) {
  Value from = build.add(grid.base(Contraction::Lhs), grid.rowAddress(Contraction::Lhs, origin.row));
  return build.add(build.add(from, stepsOf(convolution.down, origin.y, down)),
                   stepsOf(convolution.across, origin.x, across));
}

Value WinogradPixels::loadChannels(Value address, Value channel) {
  const unsigned lhs = Contraction::Lhs;
  if (grid.reach(lhs) == Reach::Depth)
    return grid.extended(grid.load(lhs, build.add(address, build.divide(channel, grid.width(lhs)))));
  const int64_t channels = convolution.channels.size;
  const bool hasTail = channels % 4 != 0;
  SmallVector<Value, 4> lanes, inside;
  for (int64_t lane = 0; lane < 4; ++lane) {
    Value at = build.add(channel, lane);
    inside.push_back(build.isBelow(at, build.constant(channels)));
    lanes.push_back(grid.load(lhs, build.add(address, hasTail ? build.least(at, build.constant(channels - 1)) : at)));
  }
  auto type = VectorType::get({4}, lanes.front().getType());
  Value quad = grid.extended(vector::FromElementsOp::create(build.ops, build.loc, type, lanes));
  if (!hasTail)
    return quad;
  Value mask = vector::FromElementsOp::create(build.ops, build.loc, type.clone(build.ops.getI1Type()), inside);
  return arith::SelectOp::create(build.ops, build.loc, mask, quad, grid.zeroQuad());
}

Value WinogradPixels::isInside(const ContractionLoop &loop, Value first, Value further) {
  return plan.rest(loop.size) == 0 ? Value() : build.isBelow(build.add(first, further), build.constant(loop.size));
}

void WinogradPixels::finish(Value sum, const Origin &origin, Value down, Value across, Value quad) {
  Value row = build.add(build.add(origin.row, build.multiply(down, convolution.across.size)), across);
  build.onlyIf(origin.exists, [&] {
    build.onlyIf(isInside(convolution.down, origin.y, down), [&] {
      build.onlyIf(isInside(convolution.across, origin.x, across),
                   [&] { build.onlyIf(grid.writes(row), [&] { grid.finish(sum, row, quad); }); });
    });
  });
}

} // namespace nacre::codegen::gpu
