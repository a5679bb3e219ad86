// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/bodies/FloatBodies.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::kernels {

/// Emits x^(1/2), which is infinity for -inf and 0 for -0. A plain square root would return NaN and -0.
static Value emitPowerOfHalf(Scalars s, Value x) {
  Value root = s.make<math::SqrtOp>(s.make<arith::AddFOp>(x, s.like(x, 0)));
  Value isInfinite = s.compare(arith::CmpFPredicate::OEQ, x, s.like(x, -HUGE_VAL));
  return s.select(isInfinite, s.like(x, HUGE_VAL), root);
}

/// Emits powers that are cheaper than the general function and equally exact. Returns null for other exponents. For
/// negative exponents, the base is inverted first, because a square may overflow even if the square of the inverse does
/// not.
static Value emitConstantPower(Scalars s, Value x, double exponent) {
  auto mul = [&](Value a, Value b) { return s.make<arith::MulFOp>(a, b); };
  auto invert = [&](Value a) { return exponent < 0 ? s.make<arith::DivFOp>(s.like(x, 1), a) : a; };
  const double magnitude = std::fabs(exponent);
  if (magnitude == 0.5 || magnitude == 0.75) {
    Value root = emitPowerOfHalf(s, x);
    return invert(magnitude == 0.5 ? root : mul(root, s.make<math::SqrtOp>(root)));
  }
  if (magnitude != 1 && magnitude != 2 && magnitude != 3 && magnitude != 4)
    return {};
  Value base = invert(x);
  if (magnitude == 1)
    return base;
  Value square = mul(base, base);
  return magnitude == 2 ? square : mul(square, magnitude == 3 ? base : square);
}

Value emitPower(Scalars s, Value x, Value y) {
  APFloat constant(0.0);
  if (matchPattern(y, m_ConstantFloat(&constant))) {
    bool losesInfo = false;
    constant.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    if (Value power = emitConstantPower(s, x, constant.convertToDouble()))
      return power;
  }
  return s.make<math::PowFOp>(x, y);
}

Value emitFloatBinary(Scalars s, nn::BinaryKind kind, Value a, Value b) {
  using Kind = nn::BinaryKind;
  switch (kind) {
  case Kind::Add:
    return s.make<arith::AddFOp>(a, b);
  case Kind::Sub:
    return s.make<arith::SubFOp>(a, b);
  case Kind::Mul:
    return s.make<arith::MulFOp>(a, b);
  case Kind::Div:
    return s.make<arith::DivFOp>(a, b);
  case Kind::Fmod:
    return s.make<arith::RemFOp>(a, b);
  case Kind::Mod: {
    Value rest = s.make<arith::RemFOp>(a, b);
    Value zero = s.like(a, 0);
    Value wrongSign = s.make<arith::XOrIOp>(s.compare(arith::CmpFPredicate::OLT, rest, zero),
                                            s.compare(arith::CmpFPredicate::OLT, b, zero));
    Value adjust = s.make<arith::AndIOp>(wrongSign, s.compare(arith::CmpFPredicate::ONE, rest, zero));
    return s.select(adjust, s.make<arith::AddFOp>(rest, b), rest);
  }
  case Kind::Pow:
    return emitPower(s, a, b);
  case Kind::Min:
    return s.make<arith::MinimumFOp>(a, b);
  case Kind::Max:
    return s.make<arith::MaximumFOp>(a, b);
  case Kind::Equal:
    return s.compare(arith::CmpFPredicate::OEQ, a, b);
  case Kind::Less:
    return s.compare(arith::CmpFPredicate::OLT, a, b);
  case Kind::LessEqual:
    return s.compare(arith::CmpFPredicate::OLE, a, b);
  case Kind::Greater:
    return s.compare(arith::CmpFPredicate::OGT, a, b);
  case Kind::GreaterEqual:
    return s.compare(arith::CmpFPredicate::OGE, a, b);
  case Kind::And:
  case Kind::Or:
  case Kind::Xor:
  case Kind::ShiftLeft:
  case Kind::ShiftRight:
    return {};
  }
  return {};
}

} // namespace nacre::kernels
