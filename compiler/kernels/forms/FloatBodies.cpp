// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/forms/FloatBodies.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::kernels {

Value emitFloatUnary(Scalars s, nn::UnaryKind kind, Value x, double alpha) {
  using Kind = nn::UnaryKind;
  auto negative = [&] { return s.compare(arith::CmpFPredicate::OLT, x, s.like(x, 0)); };
  auto exp = [&](Value y) { return s.make<math::ExpOp>(y); };
  switch (kind) {
  case Kind::Abs:
    return s.make<math::AbsFOp>(x);
  case Kind::Neg:
    return s.make<arith::NegFOp>(x);
  case Kind::Exp:
    return exp(x);
  case Kind::Log:
    return s.make<math::LogOp>(x);
  case Kind::Sqrt:
    return s.make<math::SqrtOp>(x);
  case Kind::Reciprocal:
    return s.make<arith::DivFOp>(s.like(x, 1), x);
  case Kind::Floor:
    return s.make<math::FloorOp>(x);
  case Kind::Ceil:
    return s.make<math::CeilOp>(x);
  case Kind::Round:
    return s.make<math::RoundEvenOp>(x);
  case Kind::Sign: {
    // Zeros and NaN are their own sign.
    Value positive = s.compare(arith::CmpFPredicate::OGT, x, s.like(x, 0));
    return s.select(positive, s.like(x, 1), s.select(negative(), s.like(x, -1), x));
  }
  case Kind::Relu:
    return s.make<arith::MaximumFOp>(x, s.like(x, 0));
  case Kind::Sigmoid: {
    Value e = exp(s.make<arith::NegFOp>(x));
    return s.make<arith::DivFOp>(s.like(x, 1), s.make<arith::AddFOp>(s.like(x, 1), e));
  }
  case Kind::Tanh:
    return s.make<math::TanhOp>(x);
  case Kind::Erf:
    return s.make<math::ErfOp>(x);
  case Kind::Sin:
    return s.make<math::SinOp>(x);
  case Kind::Cos:
    return s.make<math::CosOp>(x);
  case Kind::Tan:
    return s.make<math::TanOp>(x);
  case Kind::Asin:
    return s.make<math::AsinOp>(x);
  case Kind::Acos:
    return s.make<math::AcosOp>(x);
  case Kind::Atan:
    return s.make<math::AtanOp>(x);
  case Kind::Sinh:
    return s.make<math::SinhOp>(x);
  case Kind::Cosh:
    return s.make<math::CoshOp>(x);
  case Kind::Asinh:
    return s.make<math::AsinhOp>(x);
  case Kind::Acosh:
    return s.make<math::AcoshOp>(x);
  case Kind::Atanh:
    return s.make<math::AtanhOp>(x);
  case Kind::Softplus: {
    // max(x, 0) + log(1 + exp(-|x|)) never overflows.
    Value e = exp(s.make<arith::NegFOp>(s.make<math::AbsFOp>(x)));
    Value positive = s.make<arith::MaximumFOp>(x, s.like(x, 0));
    return s.make<arith::AddFOp>(positive, s.make<math::Log1pOp>(e));
  }
  case Kind::IsNaN:
    return s.compare(arith::CmpFPredicate::UNO, x, x);
  case Kind::IsInf:
    return s.compare(arith::CmpFPredicate::OEQ, s.make<math::AbsFOp>(x), s.like(x, HUGE_VAL));
  case Kind::LeakyRelu:
    return s.select(negative(), s.make<arith::MulFOp>(x, s.like(x, alpha)), x);
  case Kind::Elu: {
    Value e = s.make<arith::SubFOp>(exp(x), s.like(x, 1));
    return s.select(negative(), s.make<arith::MulFOp>(e, s.like(x, alpha)), x);
  }
  case Kind::Gelu: {
    Value erf = s.make<math::ErfOp>(s.make<arith::MulFOp>(x, s.like(x, std::sqrt(0.5))));
    Value half = s.make<arith::MulFOp>(x, s.like(x, 0.5));
    return s.make<arith::MulFOp>(half, s.make<arith::AddFOp>(erf, s.like(x, 1)));
  }
  case Kind::Not:
  case Kind::BitNot:
    return {};
  }
  return {};
}

/// Powers that are cheaper, and no less exact, than the general function.
static Value emitConstantPower(Scalars s, Value x, double exponent) {
  auto mul = [&](Value a, Value b) { return s.make<arith::MulFOp>(a, b); };
  auto sqrt = [&](Value a) { return s.make<math::SqrtOp>(a); };
  double magnitude = std::fabs(exponent);
  Value power;
  if (magnitude == 1)
    power = x;
  else if (magnitude == 2)
    power = mul(x, x);
  else if (magnitude == 3)
    power = mul(mul(x, x), x);
  else if (magnitude == 4)
    power = mul(mul(x, x), mul(x, x));
  else if (magnitude == 0.5)
    power = sqrt(x);
  else if (magnitude == 0.75) {
    Value root = sqrt(x);
    power = mul(root, sqrt(root));
  } else
    return {};
  return exponent < 0 ? s.make<arith::DivFOp>(s.like(x, 1), power) : power;
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
