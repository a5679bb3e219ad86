// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/attention/AttentionOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nacre::codegen::gpu {

bool AttentionOperands::inVectors(Index operand, const ContractionLoop &along, unsigned width) const {
  auto isWhole = [&](const ContractionLoop &loop) { return loop.size == 1 || loop.strides[operand] % width == 0; };
  bool fits = along.strides[operand] == 1 && along.size % width == 0 && form.operands[operand].offset % width == 0 &&
              build.function.liesInVectors(form.operands[operand].argument, width) &&
              llvm::all_of(form.batches, isWhole);
  for (const ContractionLoop *loop : {&form.rows, &form.keys, &form.depth, &form.columns})
    fits &= loop == &along || isWhole(*loop);
  return fits;
}

Value AttentionOperands::addressOf(Index operand, ArrayRef<Step> at, unsigned width) {
  const auto unit = int64_t(width);
  Value address = build.index(form.operands[operand].offset / unit);
  auto move = [&](const ContractionLoop &loop, Value by) {
    const int64_t stride = loop.strides[operand];
    if (loop.size > 1 && stride != 0)
      address = build.add(address, build.multiply(by, stride == 1 ? 1 : stride / unit));
  };
  for (auto [loop, by] : llvm::zip_equal(form.batches, batch))
    move(loop, by);
  for (auto [loop, by] : at)
    move(*loop, by);
  return address;
}

Value AttentionOperands::load(Index operand, Value address, unsigned width) {
  Value value = build.load(form.operands[operand].argument, address, width);
  const Type wide = withElement(value.getType(), build.ops.getF32Type());
  return value.getType() == wide ? value : arith::ExtFOp::create(build.ops, build.loc, wide, value);
}

} // namespace nacre::codegen::gpu
