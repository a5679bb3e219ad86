// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/ScalarBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nacre::codegen {

bool canInline(Block &body) {
  auto isReachable = [&](Value value) { return value.getParentBlock() == &body || matchPattern(value, m_Constant()); };
  return llvm::all_of(body, [&](Operation &op) {
    if (!llvm::all_of(op.getOperands(), isReachable))
      return false;
    return op.hasTrait<OpTrait::IsTerminator>() || isa<arith::ConstantOp>(op) ||
           (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && op.getNumResults() == 1 &&
            OpTrait::hasElementwiseMappableTraits(&op));
  });
}

} // namespace nacre::codegen
