// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/graph/halves/Masks.h"

#include "compiler/graph/halves/TypicalNumbers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;

namespace nacre::graph {

/// Number of operators between a mask and its softmax, at most.
constexpr int kMaxDepth = 8;

/// True if `op` moves a mask, or adds it to other values.
static bool keepsMask(Operation &op) {
  using Kind = nn::BinaryKind;
  auto binary = dyn_cast<nn::BinaryOp>(op);
  return isa<nn::SelectOp>(op) || isMove(op) ||
         (binary && llvm::is_contained({Kind::Add, Kind::Sub, Kind::Max, Kind::Min}, binary.getKind()));
}

/// True if `user` is an attention that reads `value` only as its mask.
static bool isMaskOf(Value value, Operation &user) {
  auto attention = dyn_cast<nn::AttentionOp>(user);
  return attention && attention.getMask() == value && llvm::count(user.getOperands(), value) == 1;
}

static bool isMask(Value value, int maxDepth) {
  return maxDepth > 0 && !value.use_empty() && llvm::all_of(value.getUsers(), [&](Operation *user) {
           return isa<nn::SoftmaxOp>(user) || isMaskOf(value, *user) ||
                  (keepsMask(*user) && isMask(user->getResult(0), maxDepth - 1));
         });
}

bool masksSoftmax(Operation &op) { return keepsMask(op) && isMask(op.getResult(0), kMaxDepth); }

bool isMask(Value value) { return isMask(value, kMaxDepth + 1); }

} // namespace nacre::graph
