// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/graph/quantized/Flips.h"

#include "compiler/graph/Matching.h"

using namespace mlir;

namespace nacre::graph {

constexpr int64_t kHalfRange = 128;

bool isByte(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<IntegerType>(element) && element.getIntOrFloatBitWidth() == 8;
}

Type getFlippedType(Type type) {
  Type element = getElementTypeOrSelf(type);
  return IntegerType::get(type.getContext(), 8,
                          element.isUnsignedInteger() ? IntegerType::Signless : IntegerType::Unsigned);
}

int64_t getFlipOffset(Type type) { return getElementTypeOrSelf(type).isUnsignedInteger() ? -kHalfRange : kHalfRange; }

Value createFlip(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  auto highBit = DenseElementsAttr::get(RankedTensorType::get({}, element), APInt(8, kHalfRange));
  Value mask = nn::ConstantOp::create(builder, loc, highBit);
  Value flipped = builder.createOrFold<nn::BinaryOp>(loc, nn::BinaryKind::Xor, value, mask);
  return builder.createOrFold<nn::BitcastOp>(loc, type.clone(getFlippedType(element)), flipped);
}

Value matchFlip(Value value) {
  auto bitcast = value.getDefiningOp<nn::BitcastOp>();
  if (!bitcast || !isByte(value.getType()) ||
      bitcast.getOperand().getType() != cast<RankedTensorType>(value.getType()).clone(getFlippedType(value.getType())))
    return {};
  nn::BinaryOp flipped = getBinary(bitcast.getOperand(), nn::BinaryKind::Xor);
  if (!flipped)
    return {};
  for (auto [mask, other] :
       {std::pair(flipped.getRhs(), flipped.getLhs()), std::pair(flipped.getLhs(), flipped.getRhs())})
    if (std::optional<double> number = getSplat(mask);
        number && (*number == kHalfRange || *number == -kHalfRange) && other.getType() == flipped.getType())
      return other;
  return {};
}

} // namespace nacre::graph
