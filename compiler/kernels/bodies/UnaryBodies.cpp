// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has two parts: 1. bodies of more than one operation; 2. the table.

#include "compiler/kernels/bodies/UnaryBodies.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace nacre::kernels {

namespace {

using Kind = nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Bodies
//===----------------------------------------------------------------------===//

template <typename Op> Value make(Scalars s, Value x, double) { return s.make<Op>(x); }

Value isNegative(Scalars s, Value x) { return s.compare(arith::CmpFPredicate::OLT, x, s.like(x, 0)); }

/// Emits the sign of `x`. Zeros and NaN are returned unchanged. The body compares bits, because arithmetic may flush
/// the smallest values to zero.
Value emitSign(Scalars s, Value x, double) {
  Type bits = s.builder.getIntegerType(x.getType().getIntOrFloatBitWidth());
  Value magnitude = s.make<arith::BitcastOp>(bits, s.make<math::AbsFOp>(x));
  Value infinity = s.make<arith::BitcastOp>(bits, s.like(x, HUGE_VAL));
  // 0 - 1 is the largest unsigned integer, so this excludes zeros, too.
  Value isNumber =
      s.compare(arith::CmpIPredicate::ult, s.make<arith::SubIOp>(magnitude, s.like(magnitude, 1)), infinity);
  Value isBelow = s.compare(arith::CmpIPredicate::slt, s.make<arith::BitcastOp>(bits, x), s.like(magnitude, 0));
  return s.select(isNumber, s.select(isBelow, s.like(x, -1), s.like(x, 1)), x);
}

Value emitIntegerSign(Scalars s, Value x, bool isUnsigned) {
  Value zero = s.like(x, 0), one = s.like(x, 1);
  if (isUnsigned)
    return s.select(s.compare(arith::CmpIPredicate::ne, x, zero), one, zero);
  Value nonNegative = s.select(s.compare(arith::CmpIPredicate::sgt, x, zero), one, zero);
  return s.select(s.compare(arith::CmpIPredicate::slt, x, zero), s.like(x, -1), nonNegative);
}

Value emitSigmoid(Scalars s, Value x, double) {
  Value e = s.make<math::ExpOp>(s.make<arith::NegFOp>(x));
  return s.make<arith::DivFOp>(s.like(x, 1), s.make<arith::AddFOp>(s.like(x, 1), e));
}

/// Emits max(x, 0) + log(1 + exp(-|x|)), which never overflows.
Value emitSoftplus(Scalars s, Value x, double) {
  Value e = s.make<math::ExpOp>(s.make<arith::NegFOp>(s.make<math::AbsFOp>(x)));
  Value positive = s.make<arith::MaximumFOp>(x, s.like(x, 0));
  return s.make<arith::AddFOp>(positive, s.make<math::Log1pOp>(e));
}

Value emitElu(Scalars s, Value x, double alpha) {
  Value e = s.make<math::ExpM1Op>(x);
  return s.select(isNegative(s, x), s.make<arith::MulFOp>(e, s.like(x, alpha)), x);
}

Value emitGelu(Scalars s, Value x, double) {
  Value erf = s.make<math::ErfOp>(s.make<arith::MulFOp>(x, s.like(x, std::sqrt(0.5))));
  Value half = s.make<arith::MulFOp>(x, s.like(x, 0.5));
  return s.make<arith::MulFOp>(half, s.make<arith::AddFOp>(erf, s.like(x, 1)));
}

//===----------------------------------------------------------------------===//
// 2. Rows
//===----------------------------------------------------------------------===//

struct UnaryBody {
  Kind kind;
  Value (*ofFloat)(Scalars s, Value x, double alpha) = nullptr;
  Value (*ofInteger)(Scalars s, Value x, bool isUnsigned) = nullptr;
};

constexpr UnaryBody rows[] = {
    {Kind::Abs, make<math::AbsFOp>,
     [](Scalars s, Value x, bool isUnsigned) { return isUnsigned ? x : s.make<math::AbsIOp>(x); }},
    {Kind::Neg, make<arith::NegFOp>, [](Scalars s, Value x, bool) { return s.make<arith::SubIOp>(s.like(x, 0), x); }},
    {Kind::Exp, make<math::ExpOp>},
    {Kind::Log, make<math::LogOp>},
    {Kind::Sqrt, make<math::SqrtOp>},
    {Kind::Reciprocal, [](Scalars s, Value x, double) { return s.make<arith::DivFOp>(s.like(x, 1), x); }},
    {Kind::Floor, make<math::FloorOp>},
    {Kind::Ceil, make<math::CeilOp>},
    {Kind::Round, make<math::RoundEvenOp>},
    {Kind::Sign, emitSign, emitIntegerSign},
    {Kind::Relu, [](Scalars s, Value x, double) { return s.make<arith::MaximumFOp>(x, s.like(x, 0)); },
     [](Scalars s, Value x, bool isUnsigned) { return isUnsigned ? x : s.make<arith::MaxSIOp>(x, s.like(x, 0)); }},
    {Kind::Sigmoid, emitSigmoid},
    {Kind::Tanh, make<math::TanhOp>},
    {Kind::Erf, make<math::ErfOp>},
    {Kind::Sin, make<math::SinOp>},
    {Kind::Cos, make<math::CosOp>},
    {Kind::Tan, make<math::TanOp>},
    {Kind::Asin, make<math::AsinOp>},
    {Kind::Acos, make<math::AcosOp>},
    {Kind::Atan, make<math::AtanOp>},
    {Kind::Sinh, make<math::SinhOp>},
    {Kind::Cosh, make<math::CoshOp>},
    {Kind::Asinh, make<math::AsinhOp>},
    {Kind::Acosh, make<math::AcoshOp>},
    {Kind::Atanh, make<math::AtanhOp>},
    {Kind::Not, nullptr, [](Scalars s, Value x, bool) { return s.make<arith::XOrIOp>(x, s.like(x, 1)); }},
    {Kind::BitNot, nullptr, [](Scalars s, Value x, bool) { return s.make<arith::XOrIOp>(x, s.like(x, -1)); }},
    {Kind::Softplus, emitSoftplus},
    {Kind::IsNaN, [](Scalars s, Value x, double) { return s.compare(arith::CmpFPredicate::UNO, x, x); }},
    {Kind::IsInf,
     [](Scalars s, Value x, double) {
       return s.compare(arith::CmpFPredicate::OEQ, s.make<math::AbsFOp>(x), s.like(x, HUGE_VAL));
     }},
    {Kind::LeakyRelu,
     [](Scalars s, Value x, double alpha) {
       return s.select(isNegative(s, x), s.make<arith::MulFOp>(x, s.like(x, alpha)), x);
     }},
    {Kind::Elu, emitElu},
    {Kind::Gelu, emitGelu},
};

static_assert(std::size(rows) == nn::getMaxEnumValForUnaryKind() + 1, "each function of Functions.td has a row");

} // namespace

Value emitUnary(Scalars s, nn::UnaryKind kind, Value x, double alpha, bool isUnsigned) {
  const UnaryBody *row = llvm::find_if(rows, [&](const UnaryBody &candidate) { return candidate.kind == kind; });
  return isa<FloatType>(x.getType()) ? row->ofFloat(s, x, alpha) : row->ofInteger(s, x, isUnsigned);
}

} // namespace nacre::kernels
