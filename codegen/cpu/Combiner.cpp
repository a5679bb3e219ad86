// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halves of a vector are combined until one lane is left. The order is the same for every width, so that results do not
// depend on how LLVM expands a reduction.

#include "codegen/cpu/Combiner.h"

#include "codegen/cpu/VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// Returns the number of lanes; 0 for a scalar.
unsigned widthOf(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getNumElements() : 0;
}

} // namespace

std::optional<Combiner> Combiner::find(Block &body, unsigned result) {
  std::optional<Reduction> reduction = findReduction(body, result);
  return reduction ? std::optional<Combiner>(Combiner{{*reduction}}) : std::nullopt;
}

Value Combiner::combine(VectorBuilder &builder, Value a, Value b) const {
  if (isa<arith::MaximumFOp>(op))
    return nanReturns ? emitMaximumIgnoringNaN(builder, a, b) : emitMaximum(builder, a, b);
  if (isa<arith::MinimumFOp>(op))
    return emitMinimum(builder, a, b);
  return builder.ops.create(builder.loc, op->getName().getIdentifier(), ValueRange{a, b}, a.getType(), op->getAttrs())
      ->getResult(0);
}

Value Combiner::foldLanes(VectorBuilder &builder, Value vector, TypedAttr start) const {
  auto half = [&](Value whole, int64_t from, int64_t count) -> Value {
    return vector::ExtractStridedSliceOp::create(builder.ops, builder.loc, whole, ArrayRef<int64_t>{from},
                                                 ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
  };
  for (int64_t width = cast<VectorType>(vector.getType()).getNumElements(); width > 1; width /= 2)
    vector = combine(builder, half(vector, 0, width / 2), half(vector, width / 2, width / 2));
  Value folded = builder.lane(vector, 0);
  return start == identity ? folded : combine(builder, builder.constant(start), folded);
}

SmallVector<Value> reduceInLoop(VectorBuilder &builder, int64_t high, int64_t step, int64_t timesPerIteration,
                                ValueRange carried, ArrayRef<Combiner> combiners, VectorBuilder::Body body) {
  constexpr int64_t kSerial = 1024, kBlock = 512;
  // Only sums of floats have rounding errors that depend on the order.
  const bool adds = llvm::any_of(combiners, [](const Combiner &combiner) { return isa<arith::AddFOp>(combiner.op); });
  if (!adds || llvm::divideCeil(high, step) * timesPerIteration <= kSerial)
    return builder.loop(0, high, step, carried, body);

  const int64_t block = std::max<int64_t>(1, kBlock / timesPerIteration) * step;
  auto reduceBlock = [&](Position begin, int64_t length, ValueRange before) {
    SmallVector<Value> start;
    for (auto [value, combiner] : llvm::zip_equal(before, combiners))
      start.push_back(builder.broadcast(builder.constant(combiner.identity), widthOf(value)));
    SmallVector<Value> sums;
    if (length <= step)
      sums = body(begin, start);
    else if (!begin.counter)
      sums = builder.loop(begin.constant, begin.constant + length, step, start, body);
    else
      sums = builder.loop(builder.add(begin.counter, begin.constant),
                          builder.add(begin.counter, begin.constant + length), step, start, body);
    for (auto [sum, value, combiner] : llvm::zip_equal(sums, before, combiners))
      sum = combiner.combine(builder, value, sum);
    return sums;
  };
  const int64_t whole = high / block * block;
  SmallVector<Value> result = builder.loop(
      0, whole, block, carried, [&](Position begin, ValueRange before) { return reduceBlock(begin, block, before); });
  return whole == high ? result : reduceBlock({Value(), whole}, high - whole, result);
}

} // namespace nacre::codegen::cpu
