// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/panels/TrainedStates.h"
#include "dialects/nn/Variables.h"
#include "dialects/plan/Notes.h"

using namespace mlir;

namespace nacre::encode {

bool isTrained(plan::StorageOp storage) {
  const nn::VariableRole role = nn::readRole(storage ? storage->getAttr(plan::kStateRole) : Attribute());
  return role == nn::VariableRole::Weight || role == nn::VariableRole::Moment;
}

plan::StorageOp findTrained(Value operand) {
  auto type = cast<ShapedType>(operand.getType());
  operand = plan::rootOf(operand);
  auto whole = cast<ShapedType>(operand.getType());
  auto storage = operand.getDefiningOp<plan::StorageOp>();
  const bool isWhole = whole.getNumElements() == type.getNumElements() && whole.getRank() > 0 && type.getRank() > 0 &&
                       whole.getShape().back() == type.getShape().back();
  return isWhole && isTrained(storage) ? storage : plan::StorageOp();
}

bool canLieInPanels(const PanelWish &wish, Value operand) {
  return wish.groups == 1 && wish.parts == 1 && findTrained(operand);
}

} // namespace nacre::encode
