// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of functions of one element, two or three.
//
// At kinks: relu'(0) = abs'(0) = 0; of equal operands of a minimum or a maximum the left one gets all.

#include "compiler/train/rules/Rules.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace nacre::train {

namespace {

/// dy times the function's slope; null where that is zero everywhere. Where the slope follows from the result,
/// it is taken from there: x need not be kept.
Value reverseFunction(Writer &w, nn::UnaryOp op, Value dy) {
  Value x = op.getOperand(), y = op.getResult();
  auto onePlusSquare = [&] { return w.add(w.square(x), 1); };
  auto reciprocalRoot = [&](Value squared) { return w.div(dy, w.sqrt(squared)); };
  switch (op.getKind()) {
  case nn::UnaryKind::Abs:
    return w.mul(dy, w.unary(nn::UnaryKind::Sign, x));
  case nn::UnaryKind::Neg:
    return w.neg(dy);
  case nn::UnaryKind::Exp:
    return w.mul(dy, y);
  case nn::UnaryKind::Log:
    return w.div(dy, x);
  case nn::UnaryKind::Sqrt:
    return w.div(w.mul(dy, 0.5), y);
  case nn::UnaryKind::Reciprocal:
    return w.neg(w.mul(dy, w.square(y)));
  case nn::UnaryKind::Relu:
    return w.where(w.greater(y, 0), dy);
  case nn::UnaryKind::LeakyRelu:
    return w.select(w.greater(x, 0), dy, w.mul(dy, op.getAlpha().convertToDouble()));
  case nn::UnaryKind::Elu:
    return w.select(w.greater(x, 0), dy, w.mul(dy, w.add(y, op.getAlpha().convertToDouble())));
  case nn::UnaryKind::Sigmoid:
    return w.mul(dy, w.mul(y, w.sub(1, y)));
  case nn::UnaryKind::Tanh:
    return w.mul(dy, w.sub(1, w.square(y)));
  case nn::UnaryKind::Softplus:
    return w.mul(dy, w.unary(nn::UnaryKind::Sigmoid, x));
  case nn::UnaryKind::Erf:
    return w.mul(dy, w.mul(w.exp(w.neg(w.square(x))), 2 / std::sqrt(llvm::numbers::pi)));
  case nn::UnaryKind::Gelu: {
    Value below = w.add(w.mul(w.unary(nn::UnaryKind::Erf, w.mul(x, std::sqrt(0.5))), 0.5), 0.5);
    Value density = w.mul(w.exp(w.mul(w.square(x), -0.5)), 1 / std::sqrt(2 * llvm::numbers::pi));
    return w.mul(dy, w.add(below, w.mul(x, density)));
  }
  case nn::UnaryKind::Sin:
    return w.mul(dy, w.unary(nn::UnaryKind::Cos, x));
  case nn::UnaryKind::Cos:
    return w.neg(w.mul(dy, w.unary(nn::UnaryKind::Sin, x)));
  case nn::UnaryKind::Tan:
    return w.mul(dy, w.add(w.square(y), 1));
  case nn::UnaryKind::Asin:
    return reciprocalRoot(w.sub(1, w.square(x)));
  case nn::UnaryKind::Acos:
    return w.neg(reciprocalRoot(w.sub(1, w.square(x))));
  case nn::UnaryKind::Atan:
    return w.div(dy, onePlusSquare());
  case nn::UnaryKind::Sinh:
    return w.mul(dy, w.unary(nn::UnaryKind::Cosh, x));
  case nn::UnaryKind::Cosh:
    return w.mul(dy, w.unary(nn::UnaryKind::Sinh, x));
  case nn::UnaryKind::Asinh:
    return reciprocalRoot(onePlusSquare());
  case nn::UnaryKind::Acosh:
    return reciprocalRoot(w.add(w.square(x), -1));
  case nn::UnaryKind::Atanh:
    return w.div(dy, w.sub(1, w.square(x)));
  case nn::UnaryKind::Floor:
  case nn::UnaryKind::Ceil:
  case nn::UnaryKind::Round:
  case nn::UnaryKind::Sign:
  case nn::UnaryKind::Not:
  case nn::UnaryKind::BitNot:
  case nn::UnaryKind::IsNaN:
  case nn::UnaryKind::IsInf:
    return {};
  }
  llvm_unreachable("every function has a slope or none");
}

void reversePower(nn::BinaryOp op, Adjoint &at) {
  Writer &w = at.write;
  Value base = op.getLhs(), exponent = w.convert(op.getRhs(), typeOf(base).getElementType()), dy = at.of();
  if (at.wants(base)) {
    // A power of zero does not depend on its base, be that 0.
    Value slope = w.mul(exponent, w.binary(nn::BinaryKind::Pow, base, w.add(exponent, -1)));
    Value isConstant = w.equal(exponent, w.number(exponent, 0));
    at.giveUnbroadcast(base, w.mul(dy, w.select(isConstant, w.number(slope, 0), slope)));
  }
  if (at.wants(op.getRhs())) {
    // Defined where the base is more than zero; the other logarithms are not computed.
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
    at.cut(); // bits, shifts, comparisons
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
