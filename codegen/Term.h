// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  values with operators, so that formulas look like formulas.
// Why:   every engine expands functions and conversions to arithmetic.
// How:   a Term is a scalar or vector value, of floats or of integers, with a builder for operations on it. Clamps
//        compare and select in the order that keeps NaN. This is one instruction on x86.

#ifndef NACRE_CODEGEN_TERM_H
#define NACRE_CODEGEN_TERM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace nacre::codegen {

/// Returns `type` with another element type.
inline mlir::Type withElement(mlir::Type type, mlir::Type element) {
  auto vector = llvm::dyn_cast<mlir::VectorType>(type);
  return vector ? mlir::Type(vector.clone(element)) : element;
}

/// Creates operations and constants for terms. Engines derive their own builders.
class TermBuilder {
public:
  TermBuilder(mlir::OpBuilder &ops, mlir::Location loc, bool isShader) : ops(ops), loc(loc), isShader(isShader) {}

  mlir::OpBuilder &ops;
  const mlir::Location loc;
  const bool isShader; ///< True if a driver compiles the result again. The driver may reorder sums, and may lack f64.

  /// Creates a constant at the insertion point. Engines override this function to share constants.
  virtual mlir::Value constant(mlir::TypedAttr value) { return mlir::arith::ConstantOp::create(ops, loc, value); }
  mlir::Value floatConstant(double value, mlir::Type type) {
    return splat(ops.getFloatAttr(mlir::getElementTypeOrSelf(type), value), type);
  }
  mlir::Value intConstant(int64_t value, mlir::Type type) {
    return splat(ops.getIntegerAttr(mlir::getElementTypeOrSelf(type), value), type);
  }

protected:
  ~TermBuilder() = default;

private:
  mlir::Value splat(mlir::TypedAttr scalar, mlir::Type type) {
    auto vector = llvm::dyn_cast<mlir::VectorType>(type);
    return constant(vector ? mlir::TypedAttr(mlir::SplatElementsAttr::get(vector, scalar)) : scalar);
  }
};

/// A value with operators, so that formulas look like formulas.
struct Term {
  TermBuilder *builder;
  mlir::Value value;

  mlir::Type type() const { return value.getType(); }
  Term make(mlir::Value other) const { return {builder, other}; }
  template <typename Op, typename... Operands> Term op(Operands... operands) const {
    return make(Op::create(builder->ops, builder->loc, operands...));
  }
  bool isInteger() const { return mlir::getElementTypeOrSelf(type()).isInteger(); }
  /// Returns a constant of the value's type. For an integer type, `number` must be whole.
  Term constant(double number) const {
    return isInteger() ? integer(int64_t(number)) : make(builder->floatConstant(number, type()));
  }
  Term integer(int64_t number) const { return make(builder->intConstant(number, type())); }
  Term as(mlir::Type element) const { return op<mlir::arith::BitcastOp>(withElement(type(), element), value); }
  /// Returns the bits of a float as an integer of the same size. f32() and f64() are the inverse.
  Term bits() const {
    return as(builder->ops.getIntegerType(mlir::getElementTypeOrSelf(type()).getIntOrFloatBitWidth()));
  }
  Term f32() const { return as(builder->ops.getF32Type()); }
  Term f64() const { return as(builder->ops.getF64Type()); }

  Term compare(mlir::arith::CmpFPredicate predicate, Term other) const {
    return op<mlir::arith::CmpFOp>(predicate, value, other.value);
  }
  Term operator>(Term other) const { return compare(mlir::arith::CmpFPredicate::OGT, other); }
  Term operator<(Term other) const { return compare(mlir::arith::CmpFPredicate::OLT, other); }
  Term operator==(Term other) const { return compare(mlir::arith::CmpFPredicate::OEQ, other); }

  // Only for terms that are conditions (i1).
  Term select(Term yes, Term no) const { return op<mlir::arith::SelectOp>(value, yes.value, no.value); }
  Term operator&(Term other) const { return op<mlir::arith::AndIOp>(value, other.value); }
  Term operator|(Term other) const { return op<mlir::arith::OrIOp>(value, other.value); }
  Term operator^(Term other) const { return op<mlir::arith::XOrIOp>(value, other.value); }
  Term operator!() const { return *this ^ integer(1); }
};

inline Term operator+(Term a, Term b) {
  return a.isInteger() ? a.op<mlir::arith::AddIOp>(a.value, b.value) : a.op<mlir::arith::AddFOp>(a.value, b.value);
}
inline Term operator-(Term a, Term b) {
  return a.isInteger() ? a.op<mlir::arith::SubIOp>(a.value, b.value) : a.op<mlir::arith::SubFOp>(a.value, b.value);
}
inline Term operator*(Term a, Term b) {
  return a.isInteger() ? a.op<mlir::arith::MulIOp>(a.value, b.value) : a.op<mlir::arith::MulFOp>(a.value, b.value);
}
inline Term operator/(Term a, Term b) { return a.op<mlir::arith::DivFOp>(a.value, b.value); }
inline Term operator+(Term a, double b) { return a + a.constant(b); }
inline Term operator-(Term a, double b) { return a - a.constant(b); }
inline Term operator-(double a, Term b) { return b.constant(a) - b; }
inline Term operator*(Term a, double b) { return a * a.constant(b); }
inline Term operator/(double a, Term b) { return b.constant(a) / b; }
inline Term operator>(Term a, double b) { return a > a.constant(b); }
inline Term operator<(Term a, double b) { return a < a.constant(b); }
inline Term operator==(Term a, double b) { return a == a.constant(b); }

/// Returns a * b + c, also for integers.
inline Term fma(Term a, Term b, Term c) {
  return a.isInteger() ? a * b + c : a.op<mlir::math::FmaOp>(a.value, b.value, c.value);
}
inline Term fma(Term a, double b, Term c) { return fma(a, a.constant(b), c); }
inline Term fma(Term a, double b, double c) { return fma(a, a.constant(b), a.constant(c)); }
inline Term negate(Term a) { return a.op<mlir::arith::NegFOp>(a.value); }
inline Term abs(Term a) { return a.op<mlir::math::AbsFOp>(a.value); }
inline Term sqrt(Term a) { return a.op<mlir::math::SqrtOp>(a.value); }
/// Copies the sign of `sign` to `a`. Shaders do not use bit masks as MLIR's expansion does, because lavapipe of Mesa
/// 22.3 then copies more bits than the sign.
inline Term copySign(Term a, Term sign) {
  if (!a.builder->isShader)
    return a.op<mlir::math::CopySignOp>(a.value, sign.value);
  Term bits = sign.bits();
  Term negative = bits.op<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::slt, bits.value, bits.integer(0).value);
  return negative.select(negate(abs(a)), abs(a));
}
/// Returns x, but at least `low`. NaN stays NaN.
inline Term atLeast(Term x, double low) { return (x < low).select(x.constant(low), x); }
inline Term atMost(Term x, double high) { return (x > high).select(x.constant(high), x); }

/// Evaluates a polynomial in x. The coefficient of the highest power comes first.
inline Term polynomial(Term x, llvm::ArrayRef<double> coefficients) {
  Term sum = x.constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = fma(sum, x, x.constant(coefficient));
  return sum;
}

/// True if `integer` has the bit of the one-bit mask `bit`.
inline Term hasBit(Term integer, int64_t bit) {
  Term masked = integer & integer.integer(bit);
  return integer.op<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::ne, masked.value, integer.integer(0).value);
}

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_TERM_H
