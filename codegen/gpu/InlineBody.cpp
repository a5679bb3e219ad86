// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. arithmetic on values of any width; 2. functions that SPIR-V lacks, or that devices compute too loosely;
//       3. the body, operation by operation.

#include "codegen/gpu/InlineBody.h"

#include "codegen/form/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

//===----------------------------------------------------------------------===//
// 1. Arithmetic
//===----------------------------------------------------------------------===//

Type typeIn(Type element, unsigned width) { return width == 1 ? element : Type(VectorType::get({width}, element)); }

/// A floating-point expression under construction.
struct Term {
  OpBuilder *builder;
  Location loc;
  Value value;

  Term constant(double number) const {
    Type type = value.getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    llvm::APFloat converted(number);
    bool loses;
    converted.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
    TypedAttr attribute = FloatAttr::get(element, converted);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, converted);
    return {builder, loc, arith::ConstantOp::create(*builder, loc, attribute)};
  }
  template <typename Op> Term unary() const { return {builder, loc, Op::create(*builder, loc, value)}; }
  template <typename Op> Term binary(Term other) const {
    return {builder, loc, Op::create(*builder, loc, value, other.value)};
  }
  Value compare(arith::CmpFPredicate predicate, Term other) const {
    return arith::CmpFOp::create(*builder, loc, predicate, value, other.value);
  }
  Term select(Value condition, Term otherwise) const {
    return {builder, loc, arith::SelectOp::create(*builder, loc, condition, value, otherwise.value)};
  }
};

Term operator+(Term a, Term b) { return a.binary<arith::AddFOp>(b); }
Term operator*(Term a, Term b) { return a.binary<arith::MulFOp>(b); }
Term operator/(Term a, Term b) { return a.binary<arith::DivFOp>(b); }
Term operator-(Term a, Term b) { return a.binary<arith::SubFOp>(b); }

/// The highest coefficient first.
Term polynomial(Term x, ArrayRef<double> coefficients) {
  Term sum = x.constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = sum * x + x.constant(coefficient);
  return sum;
}

/// Comparisons that NaN passes unchanged.
Term atMost(Term x, double limit) {
  Term bound = x.constant(limit);
  return bound.select(x.compare(arith::CmpFPredicate::OGT, bound), x);
}
Term atLeast(Term x, double limit) {
  Term bound = x.constant(limit);
  return bound.select(x.compare(arith::CmpFPredicate::OLT, bound), x);
}

//===----------------------------------------------------------------------===//
// 2. Functions
//===----------------------------------------------------------------------===//

// The same rational approximations as the CPU's (codegen/cpu/VectorMath.h says their error): both engines compute parts
// of one tensor.

Term erf(Term x) {
  Term z = atMost(atLeast(x, -4), 4);
  Term y = z * z;
  Term p = polynomial(y, {-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
                          -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02});
  Term q = polynomial(y, {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
                          -1.42647390514189e-02});
  return z * p / q;
}

/// Devices may compute tanh from exponentials that overflow.
Term tanh(Term x) {
  Term z = atMost(atLeast(x, -7.90531110763549805), 7.90531110763549805);
  Term y = z * z;
  Term p = polynomial(y, {-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
                          1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03});
  Term q = polynomial(y, {1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03});
  return z * p / q;
}

/// Computes in f32 what has no f16 form of its own.
template <typename Function> Value inF32(Term x, Function function) {
  Type type = x.value.getType(), element = getElementTypeOrSelf(type);
  if (!element.isF16())
    return function(x).value;
  auto vector = dyn_cast<VectorType>(type);
  Type wide = typeIn(x.builder->getF32Type(), vector ? vector.getNumElements() : 1);
  Term y = function(Term{x.builder, x.loc, arith::ExtFOp::create(*x.builder, x.loc, wide, x.value)});
  return arith::TruncFOp::create(*x.builder, x.loc, type, y.value);
}

Value emitOperation(OpBuilder &builder, Location loc, Operation *op, ArrayRef<Value> operands, Type type) {
  Term x{&builder, loc, operands.front()};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::ErfOp>([&](auto) { return inF32(x, erf); })
      .Case<math::ErfcOp>([&](auto) { return inF32(x, [](Term y) { return y.constant(1) - erf(y); }); })
      .Case<math::TanhOp>([&](auto) { return inF32(x, tanh); })
      .Default([&](Operation *) {
        return builder.create(loc, op->getName().getIdentifier(), operands, type, op->getAttrs())->getResult(0);
      });
}

bool isKnown(Operation *op) {
  if (isa<arith::ArithDialect>(op->getDialect()))
    return !isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op);
  const bool isDouble = getElementTypeOrSelf(op->getResult(0).getType()).isF64();
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::FmaOp, math::RoundOp, math::RoundEvenOp,
          math::SqrtOp, math::RsqrtOp, math::IsNaNOp, math::IsInfOp>(op))
    return true;
  // GLSL's transcendental functions exist up to 32 bits.
  return !isDouble && isa<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp, math::AtanhOp,
                          math::CopySignOp, math::CosOp, math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpOp,
                          math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log10Op, math::Log1pOp, math::Log2Op,
                          math::PowFOp, math::SinOp, math::SinhOp, math::TanOp, math::TanhOp, math::TruncOp>(op);
}

bool isWord(Type type) { return type.isF16() || type.isF32() || type.isF64() || type.isIntOrIndex(); }

} // namespace

//===----------------------------------------------------------------------===//
// 3. Bodies
//===----------------------------------------------------------------------===//

bool canInlineOnGpu(Block &body) {
  if (!canInline(body) || !llvm::all_of(body.getArgumentTypes(), isWord))
    return false;
  return llvm::all_of(body.without_terminator(),
                      [](Operation &op) { return isa<arith::ConstantOp>(op) || canInlineOnGpu(op); });
}

bool canInlineOnGpu(Operation &op) {
  return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && isWord(op.getResult(0).getType()) &&
         isKnown(&op);
}

Value inlineOperation(OpBuilder &builder, Location loc, Operation *op, ArrayRef<Value> operands, unsigned width) {
  SmallVector<Value> matched(operands);
  Type type = op->getResult(0).getType();
  if (llvm::any_of(operands, [](Value operand) { return isa<VectorType>(operand.getType()); })) {
    for (Value &operand : matched)
      operand = broadcast(builder, loc, operand, width);
    type = typeIn(type, width);
  }
  return emitOperation(builder, loc, op, matched, type);
}

Value broadcast(OpBuilder &builder, Location loc, Value value, unsigned width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, loc, typeIn(value.getType(), width), value);
}

SmallVector<Value> inlineBody(OpBuilder &builder, Location loc, Block &body, ArrayRef<Value> arguments,
                              unsigned width) {
  IRMapping values;
  values.map(body.getArguments(), arguments);
  auto valueOf = [&](Value value) {
    TypedAttr constant;
    if (!values.contains(value) && matchPattern(value, m_Constant(&constant)))
      values.map(value, arith::ConstantOp::create(builder, loc, constant).getResult());
    return values.lookup(value);
  };

  for (Operation &op : body.without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), valueOf);
    values.map(op.getResult(0), inlineOperation(builder, loc, &op, operands, width));
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), valueOf);
}

} // namespace nacre::codegen::gpu
