// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has four parts: 1. binary operators on integers (FloatBodies.h has those on floats); 2. casts; 3. the entry
// point; 4. reductions.

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/bodies/FixedPointBodies.h"
#include "compiler/kernels/bodies/FloatBodies.h"
#include "compiler/kernels/bodies/FloatRange.h"
#include "compiler/kernels/bodies/NarrowBodies.h"
#include "compiler/kernels/bodies/UnaryBodies.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace nacre::kernels {

namespace {

//===----------------------------------------------------------------------===//
// 1. Binary
//===----------------------------------------------------------------------===//

/// Emits a quotient or remainder that cannot trap. Division by 0 returns 0 for both. Division by -1 negates.
Value emitDivision(Scalars s, Value a, Value b, bool remainder, bool isUnsigned) {
  Value zero = s.like(a, 0), one = s.like(a, 1);
  Value nothing = s.compare(arith::CmpIPredicate::eq, b, zero);
  if (isUnsigned) {
    Value divisor = s.select(nothing, one, b);
    if (remainder)
      return s.make<arith::RemUIOp>(a, divisor);
    return s.select(nothing, zero, s.make<arith::DivUIOp>(a, divisor));
  }
  Value minusOne = s.compare(arith::CmpIPredicate::eq, b, s.like(a, -1));
  Value divisor = s.select(s.make<arith::OrIOp>(nothing, minusOne), one, b);
  if (remainder)
    return s.make<arith::RemSIOp>(a, divisor);
  Value quotient = s.select(nothing, zero, s.make<arith::DivSIOp>(a, divisor));
  return s.select(minusOne, s.make<arith::SubIOp>(zero, a), quotient);
}

/// Emits a shift. Machines give different results for shifts by the bit width or more. This body returns 0, or the sign
/// bits of a signed value.
Value emitShift(Scalars s, Value a, Value b, bool right, bool isUnsigned) {
  Value most = s.like(a, a.getType().getIntOrFloatBitWidth() - 1);
  if (right && !isUnsigned)
    return s.make<arith::ShRSIOp>(a, s.make<arith::MinUIOp>(b, most));
  Value shifted = right ? s.make<arith::ShRUIOp>(a, b) : s.make<arith::ShLIOp>(a, b);
  return s.select(s.compare(arith::CmpIPredicate::ule, b, most), shifted, s.like(a, 0));
}

Value emitIntegerBinary(Scalars s, nn::BinaryKind kind, Value a, Value b, bool isUnsigned) {
  using Kind = nn::BinaryKind;
  using Predicate = arith::CmpIPredicate;
  auto compare = [&](Predicate ifSigned, Predicate ifUnsigned) {
    return s.compare(isUnsigned ? ifUnsigned : ifSigned, a, b);
  };
  switch (kind) {
  case Kind::Add:
    return s.make<arith::AddIOp>(a, b);
  case Kind::Sub:
    return s.make<arith::SubIOp>(a, b);
  case Kind::Mul:
    return s.make<arith::MulIOp>(a, b);
  case Kind::Div:
    return emitDivision(s, a, b, /*remainder=*/false, isUnsigned);
  case Kind::Fmod:
    return emitDivision(s, a, b, /*remainder=*/true, isUnsigned);
  case Kind::Mod: {
    Value rest = emitDivision(s, a, b, /*remainder=*/true, isUnsigned);
    if (isUnsigned)
      return rest;
    Value zero = s.like(a, 0);
    Value wrongSign = s.compare(Predicate::slt, s.make<arith::XOrIOp>(rest, b), zero);
    Value adjust = s.make<arith::AndIOp>(wrongSign, s.compare(Predicate::ne, rest, zero));
    return s.select(adjust, s.make<arith::AddIOp>(rest, b), rest);
  }
  case Kind::Pow: // The two operands may have different types.
    return {};
  case Kind::Min:
    return isUnsigned ? s.make<arith::MinUIOp>(a, b) : s.make<arith::MinSIOp>(a, b);
  case Kind::Max:
    return isUnsigned ? s.make<arith::MaxUIOp>(a, b) : s.make<arith::MaxSIOp>(a, b);
  case Kind::And:
    return s.make<arith::AndIOp>(a, b);
  case Kind::Or:
    return s.make<arith::OrIOp>(a, b);
  case Kind::Xor:
    return s.make<arith::XOrIOp>(a, b);
  case Kind::ShiftLeft:
  case Kind::ShiftRight:
    return emitShift(s, a, b, kind == Kind::ShiftRight, isUnsigned);
  case Kind::Equal:
    return s.compare(Predicate::eq, a, b);
  case Kind::Less:
    return compare(Predicate::slt, Predicate::ult);
  case Kind::LessEqual:
    return compare(Predicate::sle, Predicate::ule);
  case Kind::Greater:
    return compare(Predicate::sgt, Predicate::ugt);
  case Kind::GreaterEqual:
    return compare(Predicate::sge, Predicate::uge);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// 2. Casts
//===----------------------------------------------------------------------===//

bool isUnsignedType(Type type) { return type.isUnsignedInteger() || type.isInteger(1); }

/// Emits a double as f32, rounded to odd. A second rounding to 16 bits then gives the same result as a single rounding.
Value roundToOdd(Scalars s, Value x) {
  Value rounded = s.make<arith::TruncFOp>(s.builder.getF32Type(), x);
  Value back = s.make<arith::ExtFOp>(x.getType(), rounded);
  Value bits = s.make<arith::BitcastOp>(s.builder.getI32Type(), rounded);
  // If the rounded bits are even and inexact, takes the neighbour on the other side of the exact value, which is odd.
  Value grows = s.compare(arith::CmpFPredicate::OGT, s.make<math::AbsFOp>(x), s.make<math::AbsFOp>(back));
  Value moved = s.make<arith::AddIOp>(bits, s.select(grows, s.like(bits, 1), s.like(bits, -1)));
  Value lowest = s.make<arith::AndIOp>(bits, s.like(bits, 1));
  Value moves = s.make<arith::AndIOp>(s.compare(arith::CmpFPredicate::ONE, x, back),
                                      s.compare(arith::CmpIPredicate::eq, lowest, s.like(bits, 0)));
  return s.make<arith::BitcastOp>(rounded.getType(), s.select(moves, moved, bits));
}

Value castFloat(Scalars s, Value x, Type type) {
  unsigned from = x.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return x;
  // No instruction rounds an f64 to 16 bits, and the library function is not available everywhere.
  if (from == 64 && to == 16)
    x = roundToOdd(s, x);
  return from < to ? s.make<arith::ExtFOp>(type, x) : s.make<arith::TruncFOp>(type, x);
}

Value castInteger(Scalars s, Value x, Type type, bool isUnsigned) {
  unsigned from = x.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return x;
  if (from > to)
    return s.make<arith::TruncIOp>(type, x);
  return isUnsigned ? s.make<arith::ExtUIOp>(type, x) : s.make<arith::ExtSIOp>(type, x);
}

/// Emits `x` rounded towards zero and clamped to the integer type. NaN becomes 0. Machines give different results for
/// values that don't fit. `range` contains the bounds of `x`, if known.
Value castFloatToInteger(Scalars s, Value x, Type elementType, std::optional<FloatRange> range = std::nullopt) {
  const bool isUnsigned = elementType.isUnsignedInteger();
  const unsigned width = elementType.getIntOrFloatBitWidth(), digits = isUnsigned ? width : width - 1;
  // Values that fit are at least `least` and less than `beyond`. Both limits are exact floats. NaN becomes `least`
  // here.
  const double least = isUnsigned ? 0 : -std::ldexp(1.0, int(digits)), beyond = std::ldexp(1.0, int(digits));
  const bool hasGreatest = digits <= cast<FloatType>(x.getType()).getFPMantissaWidth();
  auto choose = [&](arith::CmpFPredicate wins, Value value, double bound) {
    return s.select(s.compare(wins, value, s.like(x, bound)), value, s.like(x, hasGreatest ? bound : least));
  };
  Value fits = x;
  if (!range || range->least < least)
    fits = choose(arith::CmpFPredicate::OGT, fits, least);
  if (!range || range->greatest > beyond - 1)
    fits = choose(arith::CmpFPredicate::OLT, fits, hasGreatest ? beyond - 1 : beyond);

  Type type = getComputeType(elementType), wide = width < 32 ? s.builder.getI32Type() : type;
  Value integer = isUnsigned && width >= 32 ? s.make<arith::FPToUIOp>(wide, fits) : s.make<arith::FPToSIOp>(wide, fits);
  integer = castInteger(s, integer, type, isUnsigned);
  if (!hasGreatest) {
    APInt greatest = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
    Value end = s.make<arith::ConstantOp>(s.builder.getIntegerAttr(type, greatest));
    integer = s.select(s.compare(arith::CmpFPredicate::OGE, x, s.like(x, beyond)), end, integer);
  }
  if (isUnsigned || range)
    return integer;
  return s.select(s.compare(arith::CmpFPredicate::UNO, x, x), s.like(integer, 0), integer);
}

Value emitCast(Scalars s, Value x, Type from, Type to, CastRules rules = {});

/// Emits a cast to a narrow type. Floats are cast through f32. Integers keep the low bits of an i32.
Value castToNarrow(Scalars s, Value x, Type from, Type to, CastRules rules) {
  if (isa<FloatType>(to)) {
    Value number = from.isF64() ? roundToOdd(s, x) : emitCast(s, x, from, s.builder.getF32Type());
    return emitEncode(s, number, to, rules);
  }
  Type wide = s.builder.getI32Type();
  Value integer = isa<FloatType>(from) ? castFloatToInteger(s, s.make<math::RoundEvenOp>(x), wide)
                                       : castInteger(s, x, wide, isUnsignedType(from));
  return emitNarrowInteger(s, integer, to);
}

Value emitCast(Scalars s, Value x, Type from, Type to, CastRules rules) {
  if (nn::isNarrow(from) && isa<FloatType>(from))
    return emitCast(s, emitDecode(s, x, from), s.builder.getF32Type(), to, rules);
  if (nn::isNarrow(to))
    return castToNarrow(s, x, from, to, rules);
  Type type = getComputeType(to);
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (to.isInteger(1)) {
    if (from.isInteger(1))
      return x;
    return fromFloat ? s.compare(arith::CmpFPredicate::UNE, x, s.like(x, 0))
                     : s.compare(arith::CmpIPredicate::ne, x, s.like(x, 0));
  }
  if (fromFloat && !toFloat)
    return castFloatToInteger(s, x, to);
  if (toFloat) {
    if (!fromFloat)
      x = isUnsignedType(from) ? s.make<arith::UIToFPOp>(type, x) : s.make<arith::SIToFPOp>(type, x);
    // A value that passes through a narrow type is rounded to this type, although the computation uses f32.
    return castFloat(s, castFloat(s, x, to), type);
  }
  return castInteger(s, x, type, isUnsignedType(from));
}

/// Emits an integer power. math.ipowi requires two signed operands of the same width.
Value emitIntegerPower(Scalars s, Value a, Value b, Type base, Type exponent) {
  const bool widens = b.getType().getIntOrFloatBitWidth() > a.getType().getIntOrFloatBitWidth();
  Type type = widens ? b.getType() : a.getType();
  a = castInteger(s, a, type, isUnsignedType(base));
  b = castInteger(s, b, type, isUnsignedType(exponent));
  Value power;
  if (isUnsignedType(exponent)) {
    Value one = s.like(a, 1), half = s.make<math::IPowIOp>(a, s.make<arith::ShRUIOp>(b, one));
    Value isOdd = s.compare(arith::CmpIPredicate::ne, s.make<arith::AndIOp>(b, one), s.like(a, 0));
    power = s.make<arith::MulIOp>(s.make<arith::MulIOp>(half, half), s.select(isOdd, a, one));
  } else {
    power = s.make<math::IPowIOp>(a, b);
    if (isUnsignedType(base)) {
      Value inverse = s.select(s.compare(arith::CmpIPredicate::eq, a, s.like(a, 1)), a, s.like(a, 0));
      power = s.select(s.compare(arith::CmpIPredicate::slt, b, s.like(a, 0)), inverse, power);
    }
  }
  return castInteger(s, power, getComputeType(base), false);
}

Value emitBinary(Scalars s, nn::BinaryOp op, Value a, Value b) {
  Type left = elementTypeOf(op.getLhs()), right = elementTypeOf(op.getRhs());
  if (op.getKind() == nn::BinaryKind::Pow) {
    if (isa<FloatType>(left))
      return emitPower(s, a, emitCast(s, b, right, getComputeType(left)));
    if (!isa<FloatType>(right))
      return emitIntegerPower(s, a, b, left, right);
    // An integer to a fractional power is computed as a float and truncated.
    Type wide = s.builder.getF64Type();
    Value power = emitPower(s, emitCast(s, a, left, wide), emitCast(s, b, right, wide));
    return castFloatToInteger(s, power, left);
  }
  if (isa<FloatType>(left))
    return emitFloatBinary(s, op.getKind(), a, b);
  return emitIntegerBinary(s, op.getKind(), a, b, isUnsignedType(left));
}

} // namespace

//===----------------------------------------------------------------------===//
// 3. The entry point
//===----------------------------------------------------------------------===//

Value emitScalar(OpBuilder &builder, Operation *op, ValueRange operands) {
  Scalars s{builder, op->getLoc()};
  if (auto unary = dyn_cast<nn::UnaryOp>(op)) {
    Type type = elementTypeOf(unary.getOperand());
    return emitUnary(s, unary.getKind(), operands[0], unary.getAlpha().convertToDouble(), isUnsignedType(type));
  }
  if (auto binary = dyn_cast<nn::BinaryOp>(op))
    return emitBinary(s, binary, operands[0], operands[1]);
  if (isa<nn::SelectOp>(op))
    return s.select(operands[0], operands[1], operands[2]);
  if (auto cast = dyn_cast<nn::CastOp>(op)) {
    Type from = elementTypeOf(cast.getOperand()), to = elementTypeOf(cast.getResult());
    if (from.isF32() && to.isInteger(8))
      return castFloatToInteger(s, operands[0], to, readFloatRange(cast.getOperand()));
    return emitCast(s, operands[0], from, to, {cast.getOverflows(), cast.getRounding()});
  }
  if (auto cast = dyn_cast<nn::BitcastOp>(op))
    return emitElement(s, emitBits(s, operands[0], elementTypeOf(cast.getOperand())), elementTypeOf(cast.getResult()));
  if (auto requantize = dyn_cast<nn::RequantizeOp>(op))
    return emitRequantize(s, requantize.getRounding(), operands[0], operands[1], operands[2],
                          readFixedPointRange(requantize));
  assert(isa<nn::BroadcastOp>(op) && "is no elementwise operator");
  return operands[0];
}

Value emitPower(OpBuilder &builder, Location loc, Value x, Value y) { return emitPower({builder, loc}, x, y); }

//===----------------------------------------------------------------------===//
// 4. Reductions
//===----------------------------------------------------------------------===//

Value combine(OpBuilder &builder, Location loc, nn::ReduceKind kind, Value a, Value b, bool isUnsigned) {
  nn::BinaryKind binary = nn::BinaryKind::Add;
  if (kind == nn::ReduceKind::Max)
    binary = nn::BinaryKind::Max;
  else if (kind == nn::ReduceKind::Min)
    binary = nn::BinaryKind::Min;
  else if (kind == nn::ReduceKind::Prod)
    binary = nn::BinaryKind::Mul;
  Scalars s{builder, loc};
  return isa<FloatType>(a.getType()) ? emitFloatBinary(s, binary, a, b)
                                     : emitIntegerBinary(s, binary, a, b, isUnsigned);
}

TypedAttr getIdentity(nn::ReduceKind kind, Type type, bool isUnsigned) {
  if (isa<FloatType>(type) || !isUnsigned)
    return nn::getIdentity(kind, type);
  const unsigned width = type.getIntOrFloatBitWidth();
  auto own = IntegerType::get(type.getContext(), width, IntegerType::Unsigned);
  return IntegerAttr::get(type, cast<IntegerAttr>(nn::getIdentity(kind, own)).getValue());
}

} // namespace nacre::kernels
