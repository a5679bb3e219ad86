// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/bodies/ElementTypes.h"

#include "dialects/nn/NarrowTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nacre::kernels {

Type getStorageType(Type type) {
  if (type.isInteger(1) || nn::isNarrow(type))
    return IntegerType::get(type.getContext(), 8);
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

RankedTensorType getStorageTensorType(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), getStorageType(type.getElementType()));
}

Type getComputeType(Type type) {
  if (nn::isNarrow(type))
    return IntegerType::get(type.getContext(), 8);
  if (type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

Value fromStorage(OpBuilder &builder, Location loc, Value scalar, Type elementType) {
  Type type = getComputeType(elementType);
  if (scalar.getType() == type)
    return scalar;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(builder, loc, type, scalar);
  return arith::TruncIOp::create(builder, loc, type, scalar);
}

Value toStorage(OpBuilder &builder, Location loc, Value scalar, Type elementType) {
  Type type = getStorageType(elementType);
  if (scalar.getType() == type)
    return scalar;
  if (isa<FloatType>(type))
    return arith::TruncFOp::create(builder, loc, type, scalar);
  return arith::ExtUIOp::create(builder, loc, type, scalar);
}

/// Returns the byte that stores an element of a narrow type.
static APInt getNarrowBits(TypedAttr element) {
  if (auto number = dyn_cast<FloatAttr>(element))
    return number.getValue().bitcastToAPInt().zext(8);
  APInt integer = cast<IntegerAttr>(element).getValue();
  return element.getType().isSignlessInteger() ? integer.sext(8) : integer.zext(8);
}

TypedAttr toStorage(TypedAttr element) {
  Type type = getStorageType(element.getType());
  if (nn::isNarrow(element.getType()))
    return IntegerAttr::get(type, getNarrowBits(element));
  if (auto integer = dyn_cast<IntegerAttr>(element)) // Booleans become bytes.
    return IntegerAttr::get(type, integer.getValue().zext(type.getIntOrFloatBitWidth()));
  return element;
}

TypedAttr toCompute(TypedAttr element) {
  Type type = getComputeType(element.getType());
  if (nn::isNarrow(element.getType()))
    return IntegerAttr::get(type, getNarrowBits(element));
  if (auto number = dyn_cast<FloatAttr>(element))
    return FloatAttr::get(type, number.getValueAsDouble());
  return IntegerAttr::get(type, cast<IntegerAttr>(element).getValue());
}

Value emitConstant(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr attribute;
  if (auto floatType = dyn_cast<FloatType>(type))
    attribute = builder.getFloatAttr(floatType, value);
  else
    attribute = builder.getIntegerAttr(type, int64_t(value));
  return arith::ConstantOp::create(builder, loc, attribute);
}

} // namespace nacre::kernels
