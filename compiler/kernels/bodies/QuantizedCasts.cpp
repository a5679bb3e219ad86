// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds and zero points are collected from the cast backwards. A bound applies after the additions that were read
// before it.

#include "compiler/kernels/bodies/QuantizedCasts.h"

#include "compiler/kernels/bodies/FloatRange.h"
#include "compiler/kernels/bodies/KernelBody.h"
#include "dialects/TensorTypes.h"
#include "dialects/plan/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::kernels {

namespace {

/// Largest magnitude of bounds and zero points. Sums of such floats are exact.
constexpr double kExact = 1 << 20;

/// Operator of an operand and a constant.
struct Step {
  enum class Kind { Max, Min, Add } kind;
  Value operand;
  double number = 0;
};

std::optional<double> numberOf(Value value) {
  TypedAttr splat = getSplat(value);
  if (auto real = dyn_cast_or_null<FloatAttr>(splat))
    return real.getValueAsDouble();
  auto integer = dyn_cast_or_null<IntegerAttr>(splat);
  return integer ? std::optional(double(integer.getValue().getSExtValue())) : std::nullopt;
}

std::optional<Step> readStep(Value value) {
  if (auto unary = value.getDefiningOp<nn::UnaryOp>(); unary && unary.getKind() == nn::UnaryKind::Relu)
    return Step{Step::Kind::Max, unary.getOperand(), 0};
  auto binary = value.getDefiningOp<nn::BinaryOp>();
  std::optional<double> number = binary ? numberOf(binary.getRhs()) : std::nullopt;
  if (!number)
    return std::nullopt;
  const bool isFloat = elementTypeOf(value).isF32();
  switch (binary.getKind()) {
  case nn::BinaryKind::Max:
    return Step{Step::Kind::Max, binary.getLhs(), *number};
  case nn::BinaryKind::Min:
    return Step{Step::Kind::Min, binary.getLhs(), *number};
  // Sums of integers wrap.
  case nn::BinaryKind::Add:
    return isFloat ? std::optional(Step{Step::Kind::Add, binary.getLhs(), *number}) : std::nullopt;
  case nn::BinaryKind::Sub:
    return isFloat ? std::optional(Step{Step::Kind::Add, binary.getLhs(), -*number}) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Function clamp(x + zero, low, high), into which steps are merged.
struct Clamp {
  double zero = 0, low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

  bool add(const Step &step) {
    if (step.number != std::nearbyint(step.number) || std::abs(step.number) > kExact)
      return false;
    const double bound = step.number + zero;
    if (step.kind == Step::Kind::Max)
      low = std::min(std::max(low, bound), high);
    else if (step.kind == Step::Kind::Min)
      high = std::max(std::min(high, bound), low);
    else
      zero += step.number;
    return true;
  }
  bool isBounded() const { return low >= -kExact && high <= kExact && std::abs(zero) <= INT16_MAX; }
};

IntegerType typeOfCodes(nn::CastOp cast) {
  auto type = dyn_cast<IntegerType>(elementTypeOf(cast.getResult()));
  return type && (type.getWidth() == 8 || type.isSignlessInteger(32)) ? type : IntegerType();
}

QuantizedCast make(Value operand, const Clamp &clamp, IntegerType type) {
  return {operand,
          int64_t(clamp.zero),
          int64_t(clamp.low),
          int64_t(clamp.high),
          /*mayBeNaN=*/false,
          IntegerType::get(type.getContext(), type.getWidth())};
}

/// Bounds of the type of a cast from a float.
Clamp boundsOf(IntegerType type) {
  Clamp clamp;
  if (type.getWidth() != 8)
    return clamp;
  clamp.low = type.isUnsigned() ? 0 : INT8_MIN;
  clamp.high = type.isUnsigned() ? UINT8_MAX : INT8_MAX;
  return clamp;
}

/// True if all numbers in the bounds keep their value in `type`.
bool fits(const Clamp &clamp, IntegerType type) {
  return type.getWidth() != 8 || (clamp.low >= INT8_MIN && clamp.high <= INT8_MAX) ||
         (clamp.low >= 0 && clamp.high <= UINT8_MAX);
}

} // namespace

std::optional<QuantizedCast> readQuantizedCast(Operation *op, llvm::function_ref<bool(Value)> mayPass) {
  auto cast = dyn_cast<nn::CastOp>(op);
  IntegerType type = cast ? typeOfCodes(cast) : IntegerType();
  if (!type)
    return std::nullopt;
  const bool isRounded = elementTypeOf(cast.getOperand()).isF32();
  if (!isRounded && !(type.getWidth() == 8 && elementTypeOf(cast.getOperand()).isSignlessInteger(32)))
    return std::nullopt;
  Clamp clamp = isRounded ? boundsOf(type) : Clamp();
  Value value = cast.getOperand();
  for (std::optional<Step> step = readStep(value); step && mayPass(value); step = readStep(value)) {
    if (!clamp.add(*step))
      break;
    value = step->operand;
  }
  if (!clamp.isBounded() || !fits(clamp, type))
    return std::nullopt;
  if (!isRounded)
    return make(value, clamp, type);
  auto round = value.getDefiningOp<nn::UnaryOp>();
  if (!round || round.getKind() != nn::UnaryKind::Round || !mayPass(value))
    return std::nullopt;
  QuantizedCast quantized = make(round.getOperand(), clamp, type);
  quantized.mayBeNaN = !readFloatRange(round.getOperand());
  return quantized;
}

Value QuantizedCast::emit(OpBuilder &builder, Location loc, Value x) const {
  if (!isa<FloatType>(x.getType()))
    return plan::ClampOp::create(builder, loc, type, x, low, high);
  Value added;
  if (zero != 0)
    added = arith::ConstantOp::create(builder, loc, builder.getI16IntegerAttr(int16_t(zero)));
  // A cast turns NaN into 0, and no operator before it changes NaN.
  IntegerAttr ofNaN = mayBeNaN ? builder.getI64IntegerAttr(0) : IntegerAttr();
  return plan::RoundOp::create(builder, loc, type, x, added, builder.getI64IntegerAttr(low),
                               builder.getI64IntegerAttr(high), ofNaN);
}

Value emitQuantized(OpBuilder &builder, Location loc, Value steps, int64_t zero, IntegerType codes) {
  const Clamp bounds = boundsOf(codes);
  QuantizedCast quantized = make({}, bounds, codes);
  quantized.zero = zero;
  quantized.mayBeNaN = true;
  return quantized.emit(builder, loc, steps);
}

} // namespace nacre::kernels
