// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces the log-softmax that a loss and its gradient read by reductions and elementwise operators. One kernel of
// rows then computes the terms of the loss and the gradient. Otherwise, a softmax with several readers would be a
// separate kernel, and each reader would load its result.
//
// 1. Maximum, differences, sum of exponentials, logarithm. A note lets the kernel of these rows write several values.
// 2. The sum of the terms needs all rows. It moves to just before its first reader, so that the kernel can come before
//    it.

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

/// True if `op` is the log-softmax of f32 rows along the last axis on the GPU, and several elementwise operators read
/// it.
bool isOfLoss(nn::SoftmaxOp op) {
  const RankedTensorType type = op.getType();
  return op.getLog() && type.getElementType().isF32() && int64_t(op.getAxis()) + 1 == type.getRank() &&
         type.getShape().back() > 1 && !op->use_empty() && !op->hasOneUse() &&
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

/// Moves each operator after `first` whose result has one element to just before its first reader.
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
    SmallVector<nn::SoftmaxOp> softmaxes = llvm::filter_to_vector(listGiven<nn::SoftmaxOp>(), isOfLoss);
    for (nn::SoftmaxOp op : softmaxes) {
      Operation *before = op->getPrevNode();
      Block *block = op->getBlock();
      expand(op);
      sinkNumbers(before ? before : &block->front());
    }
  }
};

} // namespace
