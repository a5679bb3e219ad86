// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/OperandOrigin.h"

#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"

using namespace mlir;

namespace nacre::codegen {

OperandOrigin originOfOperand(Value operand) {
  OperandOrigin origin;
  while (auto view = operand.getDefiningOp<plan::ViewOp>()) {
    operand = view.getSource();
    const int64_t bytes = bytesOfElement(cast<ShapedType>(operand.getType()).getElementType());
    origin.offset += view.getOffset() * bytes;
    origin.step += view.getStep() * bytes;
  }
  origin.root = operand;
  return origin;
}

} // namespace nacre::codegen
