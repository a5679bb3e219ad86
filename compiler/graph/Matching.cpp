// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants are read through ConstantView, which knows every attribute that holds one.

#include "compiler/graph/Matching.h"

#include "dialects/nn/ConstantData.h"
#include <cmath>

using namespace mlir;

namespace nacre::graph {

ElementsAttr getConstant(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  return constant ? constant.getValue() : ElementsAttr();
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
  // A thousandth covers f16 and the digits that exporters leave out; bf16 models are read as what they round to.
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

Value getOtherThan(nn::BinaryOp op, double number) {
  if (isSplatOf(op.getRhs(), number))
    return op.getLhs();
  if (isSplatOf(op.getLhs(), number))
    return op.getRhs();
  return {};
}

} // namespace nacre::graph
