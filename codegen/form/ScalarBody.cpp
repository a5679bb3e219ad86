// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/ScalarBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

bool canInline(Block &body, bool readsTables) {
  auto isReachable = [&](Value value) { return value.getParentBlock() == &body || matchPattern(value, m_Constant()); };
  return llvm::all_of(body, [&](Operation &op) {
    if (readsTables && isTableRead(op))
      return true;
    if (!llvm::all_of(op.getOperands(), isReachable))
      return false;
    return op.hasTrait<OpTrait::IsTerminator>() || isa<arith::ConstantOp>(op) ||
           (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && op.getNumResults() == 1 &&
            OpTrait::hasElementwiseMappableTraits(&op));
  });
}

} // namespace nacre::codegen
