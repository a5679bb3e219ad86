// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes are folded by halves, in the same tree for every width, so results do not depend on what LLVM makes of a
// reduction.

#include "codegen/cpu/nest/Combiner.h"

#include "codegen/cpu/VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {

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

} // namespace nacre::codegen::cpu
