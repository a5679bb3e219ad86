// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads constants through ConstantView, which supports all attributes that hold constants.

#include "compiler/graph/Matching.h"

#include "dialects/nn/ConstantData.h"
#include <cmath>

using namespace mlir;

namespace nacre::graph {

ElementsAttr getConstant(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  return constant ? constant.getValue() : ElementsAttr();
}

bool isConstant(Value value) {
  auto isWritten = [](Value operand) { return operand.getDefiningOp<nn::ConstantOp>() != nullptr; };
  auto dequantize = value.getDefiningOp<nn::DequantizeOp>();
  return dequantize ? llvm::all_of(dequantize->getOperands(), isWritten) : isWritten(value);
}

bool isCodingOfAll(Operation *op) {
  if (auto quantize = dyn_cast_or_null<nn::QuantizeOp>(op))
    return quantize.isPerTensor();
  auto dequantize = dyn_cast_or_null<nn::DequantizeOp>(op);
  return dequantize && dequantize.isPerTensor();
}

std::optional<double> getSplat(Value value) {
  ElementsAttr constant = getConstant(value);
  if (!constant || !constant.isSplat())
    return std::nullopt;
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (failed(view))
    return std::nullopt;
  double number;
  view->read(0, 0, 1, &number);
  return number;
}

bool isSplatOf(Value value, double number) {
  std::optional<double> splat = getSplat(value);
  if (!splat)
    return false;
  // A tolerance of 1/1024 covers the rounding of f16, and digits that exporters omit. Constants of bf16 models must
  // match the exact values to which they are rounded.
  return std::fabs(*splat - number) <= std::fabs(number) / 1024;
}

nn::UnaryOp getUnary(Value value, nn::UnaryKind kind) {
  auto op = value.getDefiningOp<nn::UnaryOp>();
  return op && op.getKind() == kind ? op : nn::UnaryOp();
}

nn::BinaryOp getBinary(Value value, nn::BinaryKind kind) {
  auto op = value.getDefiningOp<nn::BinaryOp>();
  return op && op.getKind() == kind ? op : nn::BinaryOp();
}

/// Recursion of isNeverNegative(). `depth` limits the length of the chains that it follows.
static bool isNeverNegative(Value value, int depth) {
  if (std::optional<double> number = getSplat(value))
    return *number >= 0 && !std::signbit(*number);
  if (depth == 0)
    return false;
  auto operandsAreToo = [&](Operation *op) {
    return llvm::all_of(op->getOperands(), [&](Value operand) { return isNeverNegative(operand, depth - 1); });
  };
  if (auto unary = value.getDefiningOp<nn::UnaryOp>())
    return unary.getKind() == nn::UnaryKind::Abs || unary.getKind() == nn::UnaryKind::Exp;
  if (auto reduce = value.getDefiningOp<nn::ReduceOp>())
    return reduce.getKind() != nn::ReduceKind::Max && operandsAreToo(reduce); // The maximum of no elements is -inf.
  auto binary = value.getDefiningOp<nn::BinaryOp>();
  if (!binary)
    return false;
  switch (binary.getKind()) {
  case nn::BinaryKind::Mul:
    return binary.getLhs() == binary.getRhs() || operandsAreToo(binary);
  case nn::BinaryKind::Pow:
    return isSplatOf(binary.getRhs(), 2);
  case nn::BinaryKind::Add:
  case nn::BinaryKind::Div:
    return operandsAreToo(binary);
  default:
    return false;
  }
}

bool isNeverNegative(Value value) {
  constexpr int maxDepth = 8;
  return isNeverNegative(value, maxDepth);
}

Value getOtherThan(nn::BinaryOp op, double number) {
  if (isSplatOf(op.getRhs(), number))
    return op.getLhs();
  if (isSplatOf(op.getLhs(), number))
    return op.getRhs();
  return {};
}

} // namespace nacre::graph
