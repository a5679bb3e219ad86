// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/MaximumPools.h"
#include "dialects/TensorTypes.h"

#include "dialects/plan/Notes.h"

using namespace mlir;

namespace nacre::kernels {

nn::PoolOp getPoolOf(nn::PoolCodeOp op) {
  auto pool = op.getMaxima().getDefiningOp<nn::PoolOp>();
  const bool isSame = pool && pool.getKind() == nn::PoolKind::Max && pool.getInput() == op.getInput() &&
                      pool.getKernel() == op.getKernel() && pool.getStrides() == op.getStrides() &&
                      pool.getPads() == op.getPads() && pool.getDilations() == op.getDilations() &&
                      pool.getOverhang() == op.getOverhang();
  return isSame && pool->getBlock() == op->getBlock() && plan::isOnGpu(pool) && plan::isOnGpu(op) ? pool : nn::PoolOp();
}

nn::UnpoolOp getUnpooled(Operation *op) {
  auto image = dyn_cast<nn::ReshapeOp>(op);
  auto unpool = image ? image.getOperand().getDefiningOp<nn::UnpoolOp>() : nn::UnpoolOp();
  if (!unpool || !unpool->hasOneUse() || unpool->getBlock() != op->getBlock() || !plan::isOnGpu(unpool))
    return {};
  ArrayRef<int64_t> steps = shapeOf(unpool.getResult());
  SmallVector<int64_t> merged = {steps.front()};
  for (size_t axis = 1; axis + 1 < steps.size(); axis += 2)
    merged.push_back(steps[axis] * steps[axis + 1]);
  merged.push_back(steps.back());
  return shapeOf(image.getResult()) == ArrayRef(merged) ? unpool : nn::UnpoolOp();
}

namespace {

/// Moves operators within one block. Each is placed just after the previous one.
class Mover {
public:
  explicit Mover(Operation *first) : name(first->getLoc()), last(first) {}

  bool canMove(Operation *op) const {
    const bool isKnown = isa<nn::PoolCodeOp, nn::ConstantOp>(op) || isElementwise(op);
    return isKnown && llvm::all_of(op->getOperands(), [&](Value operand) {
             Operation *source = operand.getDefiningOp();
             return isThere(source) || canMove(source);
           });
  }
  void move(Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp(); !isThere(source))
        move(source);
    op->moveAfter(last);
    takeName(op);
    last = op;
  }

  static bool isElementwise(Operation *op) {
    auto known = dyn_cast<nn::OperatorInterface>(op);
    return known && known.getWorkKind() == nn::WorkKind::Elementwise;
  }

private:
  bool isThere(Operation *source) const {
    return !source || source->getBlock() != last->getBlock() || source == last || source->isBeforeInBlock(last);
  }

  /// Names `op` after the operator of the forward pass that now computes it. The metadata in its location stays.
  void takeName(Operation *op) const {
    auto known = dyn_cast<FusedLoc>(op->getLoc());
    op->setLoc(FusedLoc::get({name}, known ? known.getMetadata() : Attribute(), op->getContext()));
  }

  Location name;
  Operation *last;
};

} // namespace

void prepareCodes(Block &block) {
  for (nn::PoolCodeOp code : llvm::to_vector(block.getOps<nn::PoolCodeOp>())) {
    nn::PoolOp pool = getPoolOf(code);
    if (!pool)
      continue;
    Mover mover(pool);
    mover.move(code);
    for (Operation *last = code; last->hasOneUse();) {
      last = *last->getUsers().begin();
      if (last->getBlock() != &block || !Mover::isElementwise(last) || !mover.canMove(last))
        break;
      mover.move(last);
    }
  }
}

} // namespace nacre::kernels
