// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/operands/Elementwise.h"

using namespace mlir;

namespace nacre::importer {

void addUp(OperandBinder &node) {
  Value sum = node.getOperand(0);
  for (size_t index = 1; index < node.getNumOperands(); ++index) {
    if (!node.checkShape(index, getShape(node.getOperand(0)), "that of the other operands"))
      return;
    sum = node.nn.add(sum, node.getOperand(index));
  }
  node.setResult(sum);
}

void choose(OperandBinder &node) {
  if (succeeded(node.broadcastOperands()))
    node.setResult(node.nn.select(node.getOperand(0), node.getOperand(1), node.getOperand(2)));
}

void chooseRows(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value condition = node.getOperand(0), onTrue = node.getOperand(1);
  Ints shape = getShape(onTrue);
  if (!node.checkShape(2, shape, "that of " + node.nameOf(1)))
    return;
  if (getRank(condition) == 1 && getRank(onTrue) > 1) {
    if (!node.checkShape(0, shape.front(), "one element for each row"))
      return;
    condition = nn.alignToAxis(condition, 0, getRank(onTrue));
  } else if (getRank(condition) > 0 && !node.checkShape(0, shape, "that of " + node.nameOf(1))) {
    return;
  }
  node.setResult(nn.select(condition, onTrue, node.getOperand(2)));
}

} // namespace nacre::importer
