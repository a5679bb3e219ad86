// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. unary and 2. binary operators on integers (FloatBodies.h has those on floats); 3. casts; 4. the entry point;
//       5. reductions.

#include "compiler/kernels/forms/ScalarBodies.h"
#include "compiler/kernels/forms/FloatBodies.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::kernels {

namespace {

//===----------------------------------------------------------------------===//
// 1. Unary
//===----------------------------------------------------------------------===//

Value emitIntegerUnary(Scalars s, nn::UnaryKind kind, Value x, bool isUnsigned) {
  using Kind = nn::UnaryKind;
  Value zero = s.like(x, 0);
  switch (kind) {
  case Kind::Abs:
    return isUnsigned ? x : s.make<math::AbsIOp>(x);
  case Kind::Neg:
    return s.make<arith::SubIOp>(zero, x);
  case Kind::Sign: {
    Value one = s.like(x, 1);
    if (isUnsigned)
      return s.select(s.compare(arith::CmpIPredicate::ne, x, zero), one, zero);
    Value nonNegative = s.select(s.compare(arith::CmpIPredicate::sgt, x, zero), one, zero);
    return s.select(s.compare(arith::CmpIPredicate::slt, x, zero), s.like(x, -1), nonNegative);
  }
  case Kind::Relu:
    return isUnsigned ? x : s.make<arith::MaxSIOp>(x, zero);
  case Kind::Floor:
  case Kind::Ceil:
  case Kind::Round:
    return x;
  case Kind::Not:
    return x.getType().isInteger(1) ? s.make<arith::XOrIOp>(x, s.like(x, 1)) : Value();
  case Kind::BitNot:
    return s.make<arith::XOrIOp>(x, s.like(x, -1));
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// 2. Binary
//===----------------------------------------------------------------------===//

/// Quotient or remainder that cannot trap: 0 divides as 1, and -1 is a sign change.
Value emitDivision(Scalars s, Value a, Value b, bool remainder, bool isUnsigned) {
  Value zero = s.like(a, 0), one = s.like(a, 1);
  Value unsafe = s.compare(arith::CmpIPredicate::eq, b, zero);
  if (isUnsigned) {
    Value divisor = s.select(unsafe, one, b);
    return remainder ? s.make<arith::RemUIOp>(a, divisor) : s.make<arith::DivUIOp>(a, divisor);
  }
  Value minusOne = s.compare(arith::CmpIPredicate::eq, b, s.like(a, -1));
  Value divisor = s.select(s.make<arith::OrIOp>(unsafe, minusOne), one, b);
  if (remainder)
    return s.make<arith::RemSIOp>(a, divisor);
  return s.select(minusOne, s.make<arith::SubIOp>(zero, a), s.make<arith::DivSIOp>(a, divisor));
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
  case Kind::Pow:
    return s.make<math::IPowIOp>(a, b);
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
    return s.make<arith::ShLIOp>(a, b);
  case Kind::ShiftRight:
    return isUnsigned ? s.make<arith::ShRUIOp>(a, b) : s.make<arith::ShRSIOp>(a, b);
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
// 3. Casts
//===----------------------------------------------------------------------===//

bool isUnsignedType(Type type) { return type.isUnsignedInteger() || type.isInteger(1); }

Value castFloat(Scalars s, Value x, Type type) {
  unsigned from = x.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return x;
  // No instruction rounds a double to 16 bits, and the library's function is not always there.
  if (from == 64 && to == 16)
    x = s.make<arith::TruncFOp>(s.builder.getF32Type(), x);
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

/// Truncation through a wider integer, so that what does not fit wraps instead of being undefined.
Value castFloatToInteger(Scalars s, Value x, Type elementType) {
  Type type = getComputeType(elementType);
  unsigned width = type.getIntOrFloatBitWidth();
  if (elementType.isUnsignedInteger(64))
    return s.make<arith::FPToUIOp>(type, x);
  unsigned through = width < 32 || (width == 32 && !elementType.isUnsignedInteger()) ? 32 : 64;
  return castInteger(s, s.make<arith::FPToSIOp>(s.builder.getIntegerType(through), x), type, false);
}

Value emitCast(Scalars s, Value x, Type from, Type to) {
  Type type = getComputeType(to);
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (to.isInteger(1)) {
    if (from.isInteger(1))
      return x;
    return fromFloat ? s.compare(arith::CmpFPredicate::UNE, x, s.like(x, 0))
                     : s.compare(arith::CmpIPredicate::ne, x, s.like(x, 0));
  }
  if (fromFloat && toFloat) {
    // A value that passes through a narrow type is rounded to it, though it is computed with in f32.
    Value rounded = castFloat(s, castFloat(s, x, to), type);
    return rounded;
  }
  if (fromFloat)
    return castFloatToInteger(s, x, to);
  if (toFloat)
    return isUnsignedType(from) ? s.make<arith::UIToFPOp>(type, x) : s.make<arith::SIToFPOp>(type, x);
  return castInteger(s, x, type, isUnsignedType(from));
}

Type getElementType(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

Value emitBinary(Scalars s, nn::BinaryOp op, Value a, Value b) {
  Type left = getElementType(op.getLhs()), right = getElementType(op.getRhs());
  if (op.getKind() == nn::BinaryKind::Pow && left != right) {
    if (isa<FloatType>(left))
      return emitPower(s, a, emitCast(s, b, right, left));
    if (isa<FloatType>(right)) {
      // An integer to a fractional power: computed as a float, truncated.
      Type wide = s.builder.getF64Type();
      Value power = emitPower(s, emitCast(s, a, left, wide), emitCast(s, b, right, wide));
      return castFloatToInteger(s, power, left);
    }
    b = emitCast(s, b, right, left);
  }
  if (isa<FloatType>(left))
    return emitFloatBinary(s, op.getKind(), a, b);
  return emitIntegerBinary(s, op.getKind(), a, b, isUnsignedType(left));
}

} // namespace

//===----------------------------------------------------------------------===//
// 4. The entry point
//===----------------------------------------------------------------------===//

bool isElementwise(Operation *op) {
  return isa<nn::UnaryOp, nn::BinaryOp, nn::SelectOp, nn::CastOp, nn::BroadcastOp>(op);
}

Value emitScalar(OpBuilder &builder, Operation *op, ValueRange operands) {
  Scalars s{builder, op->getLoc()};
  if (auto unary = dyn_cast<nn::UnaryOp>(op)) {
    Type type = getElementType(unary.getOperand());
    if (isa<FloatType>(type))
      return emitFloatUnary(s, unary.getKind(), operands[0], unary.getAlpha().convertToDouble());
    return emitIntegerUnary(s, unary.getKind(), operands[0], isUnsignedType(type));
  }
  if (auto binary = dyn_cast<nn::BinaryOp>(op))
    return emitBinary(s, binary, operands[0], operands[1]);
  if (isa<nn::SelectOp>(op))
    return s.select(operands[0], operands[1], operands[2]);
  if (auto cast = dyn_cast<nn::CastOp>(op))
    return emitCast(s, operands[0], getElementType(cast.getOperand()), getElementType(cast.getResult()));
  assert(isa<nn::BroadcastOp>(op) && "is no elementwise operator");
  return operands[0];
}

Value emitFloatFunction(OpBuilder &builder, Location loc, nn::UnaryKind kind, Value x, double alpha) {
  return emitFloatUnary({builder, loc}, kind, x, alpha);
}

Value emitPower(OpBuilder &builder, Location loc, Value x, Value y) { return emitPower({builder, loc}, x, y); }

//===----------------------------------------------------------------------===//
// 5. Reductions
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
  Builder builder(type.getContext());
  bool isMax = kind == nn::ReduceKind::Max, isMin = kind == nn::ReduceKind::Min;
  double neutral = kind == nn::ReduceKind::Prod ? 1 : 0;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (isMax || isMin)
      neutral = isMax ? -HUGE_VAL : HUGE_VAL;
    return builder.getFloatAttr(floatType, neutral);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (isMax)
    return builder.getIntegerAttr(type, isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width));
  if (isMin)
    return builder.getIntegerAttr(type, isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  return builder.getIntegerAttr(type, int64_t(neutral));
}

} // namespace nacre::kernels
