// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/ScalarBody.h"

#include "dialects/plan/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nacre::codegen {

bool isTableRead(Operation &op) {
  auto read = dyn_cast<tensor::ExtractOp>(op);
  return read && read.getIndices().size() == 1 && isa<BlockArgument>(read.getTensor()) &&
         read.getIndices()[0].getDefiningOp<arith::IndexCastOp>();
}

bool isLoopIndex(Operation &op) {
  auto isConversion = [](Operation *user) {
    return isa<arith::IndexCastOp>(user) && user->getResult(0).getType().isInteger(32);
  };
  if (isa<linalg::IndexOp>(op))
    return llvm::all_of(op.getUsers(), isConversion);
  return isConversion(&op) && op.getOperand(0).getDefiningOp<linalg::IndexOp>();
}

static bool canInlineExcept(Block &body, llvm::function_ref<bool(Operation &)> isKnown) {
  auto isReachable = [&](Value value) { return value.getParentBlock() == &body || matchPattern(value, m_Constant()); };
  return llvm::all_of(body, [&](Operation &op) {
    if (isKnown(op))
      return true;
    if (!llvm::all_of(op.getOperands(), isReachable))
      return false;
    return op.hasTrait<OpTrait::IsTerminator>() || isa<arith::ConstantOp>(op) || plan::isScalar(&op) ||
           (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && op.getNumResults() == 1 &&
            OpTrait::hasElementwiseMappableTraits(&op));
  });
}

bool canInline(Block &body, bool readsTables) {
  return canInlineExcept(body,
                         [&](Operation &op) { return readsTables && (isTableRead(op) || isa<plan::LookupOp>(op)); });
}

bool canInlineWithIndices(Block &body) { return canInlineExcept(body, isLoopIndex); }

} // namespace nacre::codegen
