// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/ExactQuotients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nacre::codegen::gpu {

bool isRounded(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<math::RoundEvenOp, math::RoundOp, math::FloorOp, math::CeilOp, math::TruncOp, arith::FPToSIOp,
               arith::FPToUIOp>(user);
  });
}

bool isPartOfRoundedQuotient(Operation *op) {
  auto isSum = [](Operation *user) { return isa<arith::AddFOp, arith::SubFOp>(user); };
  if (!isa<arith::MulFOp>(op) || llvm::none_of(op->getUsers(), isSum))
    return false;
  llvm::SetVector<Operation *> users;
  users.insert(op);
  for (size_t next = 0; next < users.size(); ++next) {
    Operation *user = users[next];
    if (isa<arith::DivFOp>(user) && isRounded(user))
      return true;
    if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::MaximumFOp, arith::MinimumFOp,
            arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp>(user))
      users.insert(user->user_begin(), user->user_end());
  }
  return false;
}

} // namespace nacre::codegen::gpu
