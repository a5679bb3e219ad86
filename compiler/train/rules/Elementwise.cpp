// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes gradients of elementwise functions with one, two or three operands.
//
// At points without a derivative, relu'(0) = abs'(0) = 0. If the operands of a minimum or maximum are equal, the left
// one gets the whole gradient.

#include "compiler/train/rules/GradientRules.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace nacre::train {

namespace {

/// Returns the probability that a standard normal variable is below x. `normalDensity` is its density.
Value normalBelow(Writer &w, Value x) {
  return w.add(w.mul(w.unary(nn::UnaryKind::Erf, w.mul(x, std::sqrt(0.5))), 0.5), 0.5);
}
Value normalDensity(Writer &w, Value x) {
  return w.mul(w.exp(w.mul(w.square(x), -0.5)), 1 / std::sqrt(2 * llvm::numbers::pi));
}

/// Returns `dy` times the slope of the function (dialects/nn/Functions.td). Returns null if the slope is zero
/// everywhere.
Value reverseFunction(Writer &w, nn::UnaryOp op, Value dy) {
  const Value x = op.getOperand(), y = op.getResult();
  const double alpha = op.getAlpha().convertToDouble();
  // NOLINTBEGIN(bugprone-branch-clone): some functions have the same slope
  switch (op.getKind()) {
#define ROW(KIND, ...)                                                                                                 \
  case nn::UnaryKind::KIND:                                                                                            \
    return __VA_ARGS__;
    NN_SLOPE_ROWS(ROW)
#undef ROW
  }
  // NOLINTEND(bugprone-branch-clone)
  llvm_unreachable("every function has a slope or none");
}

void reversePower(nn::BinaryOp op, Adjoint &at) {
  Writer &w = at.write;
  Value base = op.getLhs(), exponent = w.convert(op.getRhs(), typeOf(base).getElementType()), dy = at.of();
  if (at.wants(base)) {
    // x^0 does not depend on x, even for x = 0.
    Value slope = w.mul(exponent, w.binary(nn::BinaryKind::Pow, base, w.add(exponent, -1)));
    Value isConstant = w.equal(exponent, w.number(exponent, 0));
    at.giveUnbroadcast(base, w.mul(dy, w.select(isConstant, w.number(slope, 0), slope)));
  }
  if (at.wants(op.getRhs())) {
    // The slope is defined only for a positive base. For other bases, the logarithm of 1 is used.
    Value isDefined = w.greater(base, 0);
    Value slope = w.mul(op.getResult(), w.log(w.select(isDefined, base, w.number(base, 1))));
    at.giveUnbroadcast(op.getRhs(), w.mul(dy, w.where(isDefined, slope)));
  }
}

} // namespace

LogicalResult reverseUnary(nn::UnaryOp op, Adjoint &at) {
  Value gradient = reverseFunction(at.write, op, at.of());
  if (!gradient)
    at.cut();
  at.give(op.getOperand(), gradient);
  return success();
}

LogicalResult reverseBinary(nn::BinaryOp op, Adjoint &at) {
  Writer &w = at.write;
  Value a = op.getLhs(), b = op.getRhs(), dy = at.of();
  auto give = [&](Value operand, auto gradient) {
    if (at.wants(operand))
      at.giveUnbroadcast(operand, gradient());
  };
  switch (op.getKind()) {
  case nn::BinaryKind::Add:
    at.giveUnbroadcast(a, dy);
    at.giveUnbroadcast(b, dy);
    break;
  case nn::BinaryKind::Sub:
    at.giveUnbroadcast(a, dy);
    give(b, [&] { return w.neg(dy); });
    break;
  case nn::BinaryKind::Mul:
    give(a, [&] { return w.mul(dy, b); });
    give(b, [&] { return w.mul(dy, a); });
    break;
  case nn::BinaryKind::Div:
    give(a, [&] { return w.div(dy, b); });
    give(b, [&] { return w.neg(w.div(w.mul(dy, op.getResult()), b)); });
    break;
  case nn::BinaryKind::Pow:
    reversePower(op, at);
    break;
  case nn::BinaryKind::Min:
  case nn::BinaryKind::Max: {
    const bool isMin = op.getKind() == nn::BinaryKind::Min;
    Value isLeft = w.binary(isMin ? nn::BinaryKind::LessEqual : nn::BinaryKind::GreaterEqual, a, b);
    give(a, [&] { return w.where(isLeft, dy); });
    give(b, [&] { return w.select(isLeft, w.number(dy, 0), dy); });
    break;
  }
  case nn::BinaryKind::Mod:
  case nn::BinaryKind::Fmod:
    at.giveUnbroadcast(a, dy);
    break;
  default:
    at.cut(); // These are bit operations, shifts and comparisons.
  }
  return success();
}

LogicalResult reverseSelect(nn::SelectOp op, Adjoint &at) {
  Writer &w = at.write;
  Value dy = at.of();
  if (at.wants(op.getOnTrue()))
    at.giveUnbroadcast(op.getOnTrue(), w.where(op.getCondition(), dy));
  if (at.wants(op.getOnFalse()))
    at.giveUnbroadcast(op.getOnFalse(), w.select(op.getCondition(), w.number(dy, 0), dy));
  return success();
}

LogicalResult reverseCast(nn::CastOp op, Adjoint &at) {
  at.give(op.getOperand(), at.write.convert(at.of(), op.getOperand().getType().getElementType()));
  return success();
}

} // namespace nacre::train
