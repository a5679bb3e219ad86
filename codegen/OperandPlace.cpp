// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/OperandPlace.h"

#include "dialects/plan/PlanDialect.h"

using namespace mlir;

namespace nacre::codegen {

OperandPlace placeOfOperand(Value operand) {
  OperandPlace place;
  while (auto view = operand.getDefiningOp<plan::ViewOp>()) {
    operand = view.getSource();
    const int64_t bytes = cast<ShapedType>(operand.getType()).getElementTypeBitWidth() / 8;
    place.offset += view.getOffset() * bytes;
    place.step += view.getStep() * bytes;
  }
  place.root = operand;
  return place;
}

} // namespace nacre::codegen
