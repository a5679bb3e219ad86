// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: writes the logarithm of a softmax that a loss and its gradient read as reductions and elementwise operators.
// Why:  one kernel of rows then computes the terms of the loss and the gradient; a softmax that several operators read is a kernel of
//       its own, and each of them reads it again.
// How:  1. largest, distances, sum of exponentials, logarithm; a note lets the kernel of these rows write several values;
//       2. the sum of the terms, which needs all rows, is moved to where it is read, so that the kernel comes before it.

#include "compiler/kernels/Passes.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_EXPANDLOSSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

bool isElementwise(Operation *op) {
  auto known = dyn_cast<nn::OperatorInterface>(op);
  return known && known.getWorkKind() == nn::WorkKind::Elementwise;
}

/// Whether it is one of rows in f32 along the last axis, which several elementwise operators read.
bool isOfLoss(nn::SoftmaxOp op) {
  const RankedTensorType type = op.getType();
  return op.getLog() && type.getElementType().isF32() && int64_t(op.getAxis()) + 1 == type.getRank() &&
         type.getShape().back() > 1 && !op->use_empty() && !op->hasOneUse() && plan::isOnGpu(op) &&
         llvm::all_of(op->getUsers(), isElementwise);
}

void expand(nn::SoftmaxOp op) {
  OpBuilder builder(op);
  const Location loc = op.getLoc();
  auto add = [&](Operation *created) {
    plan::copyEngine(op, created);
    return created->getResult(0);
  };
  auto reduce = [&](nn::ReduceKind kind, Value value) {
    return add(
        nn::ReduceOp::create(builder, loc, kind, value, ArrayRef<int64_t>{int64_t(op.getAxis())}, /*keepDims=*/true));
  };
  auto subtract = [&](Value a, Value b) { return add(nn::BinaryOp::create(builder, loc, nn::BinaryKind::Sub, a, b)); };
  auto apply = [&](nn::UnaryKind kind, Value value) {
    return add(nn::UnaryOp::create(builder, loc, kind, value, APFloat(0.0)));
  };
  Value largest = reduce(nn::ReduceKind::Max, op.getOperand());
  largest.getDefiningOp()->setAttr(plan::kSeveralResults, builder.getUnitAttr());
  Value distances = subtract(op.getOperand(), largest);
  Value sum = reduce(nn::ReduceKind::Sum, apply(nn::UnaryKind::Exp, distances));
  op.replaceAllUsesWith(subtract(distances, apply(nn::UnaryKind::Log, sum)));
  op.erase();
}

/// Moves each operator behind `first` that computes one number to right before the first one that reads it.
void sinkNumbers(Operation *first) {
  Block &block = *first->getBlock();
  for (Operation *op = block.getTerminator()->getPrevNode(), *before; op != first; op = before) {
    before = op->getPrevNode();
    const bool isNumber = op->getNumResults() == 1 && typeOf(op->getResult(0)).getRank() == 0 && !op->use_empty() &&
                          (isa<nn::ReduceOp>(op) || isElementwise(op));
    if (!isNumber || op->getNumRegions() != 0)
      continue;
    Operation *reader = nullptr;
    for (Operation *user : op->getUsers())
      if (Operation *here = block.findAncestorOpInBlock(*user); !reader || here->isBeforeInBlock(reader))
        reader = here;
    op->moveBefore(reader);
  }
}

struct ExpandLoss : kernels::impl::ExpandLossPassBase<ExpandLoss> {
  void runOnOperation() override {
    SmallVector<nn::SoftmaxOp> softmaxes;
    getOperation().walk([&](nn::SoftmaxOp op) {
      if (isOfLoss(op))
        softmaxes.push_back(op);
    });
    for (nn::SoftmaxOp op : softmaxes) {
      Operation *before = op->getPrevNode();
      Block *block = op->getBlock();
      expand(op);
      sinkNumbers(before ? before : &block->front());
    }
  }
};

} // namespace
