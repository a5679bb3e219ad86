// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions are moved without copying. An operator whose number of results changes is created again.

#include "compiler/graph/Regions.h"

#include "compiler/graph/Matching.h"

using namespace mlir;

namespace nacre::graph {

SmallVector<Operation *> findControl(Operation *top) {
  SmallVector<Operation *> found;
  top->walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (isa<nn::IfOp, nn::ForOp, nn::WhileOp>(op))
      found.push_back(op);
  });
  return found;
}

std::optional<double> getNumber(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements() == 1 ? getSplat(value) : std::nullopt;
}

bool isOutside(Value value, Operation *op) { return !op->isAncestor(value.getParentBlock()->getParentOp()); }

SmallVector<Value> inlineBefore(RewriterBase &rewriter, Block &block, Operation *op, ValueRange arguments) {
  Operation *terminator = block.getTerminator();
  rewriter.inlineBlockBefore(&block, op, arguments);
  SmallVector<Value> given(terminator->getOperands());
  rewriter.eraseOp(terminator);
  return given;
}

OperandRange getInitial(Operation *loop) {
  auto counted = dyn_cast<nn::ForOp>(loop);
  return counted ? counted.getInitial() : cast<nn::WhileOp>(loop).getInitial();
}

ResultRange getFinals(Operation *loop) {
  auto counted = dyn_cast<nn::ForOp>(loop);
  return counted ? counted.getFinals() : cast<nn::WhileOp>(loop).getFinals();
}

ResultRange getStacks(Operation *loop) {
  auto counted = dyn_cast<nn::ForOp>(loop);
  return counted ? counted.getStacks() : cast<nn::WhileOp>(loop).getStacks();
}

nn::YieldOp getYield(Operation *loop) {
  auto counted = dyn_cast<nn::ForOp>(loop);
  return counted ? counted.getYield() : cast<nn::WhileOp>(loop).getYield();
}

Region &getBody(Operation *loop) {
  auto counted = dyn_cast<nn::ForOp>(loop);
  return counted ? counted.getBody() : cast<nn::WhileOp>(loop).getBody();
}

Value makeRows(OpBuilder &builder, Location loc, Value value, int64_t axis, Rows rows) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()), steps(type.getRank(), 1);
  if (rows.first != 0 || rows.step != 1 || rows.count != sizes[axis]) {
    starts[axis] = rows.first;
    sizes[axis] = rows.count;
    steps[axis] = rows.step;
    value = nn::SliceOp::create(builder, loc, value, starts, sizes, steps);
  }
  if (axis == 0)
    return value;
  SmallVector<int64_t> order{axis};
  for (int64_t other = 0; other < type.getRank(); ++other)
    if (other != axis)
      order.push_back(other);
  return nn::TransposeOp::create(builder, loc, value, order);
}

Value makeRow(OpBuilder &builder, Location loc, Value rows, int64_t index) {
  auto type = cast<RankedTensorType>(rows.getType());
  return nn::ReshapeOp::create(builder, loc, type.clone(type.getShape().drop_front()),
                               makeRows(builder, loc, rows, 0, {index, 1, 1}));
}

void eraseUnused(RewriterBase &rewriter, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
}

namespace {

SmallVector<Value> pick(ValueRange values, const llvm::SmallBitVector &kept) {
  SmallVector<Value> picked;
  for (auto [index, value] : llvm::enumerate(values))
    if (kept[index])
      picked.push_back(value);
  return picked;
}

/// Erases all block arguments of `region` after the counter whose bit in `kept` is not set.
void eraseArguments(RewriterBase &rewriter, Region &region, const llvm::SmallBitVector &kept) {
  for (unsigned index = kept.size(); index-- > 0;)
    if (!kept[index]) {
      assert(region.getArgument(1 + index).use_empty() && "what is dropped is of no use");
      rewriter.modifyOpInPlace(region.getParentOp(), [&] { region.eraseArgument(1 + index); });
    }
}

} // namespace

void dropResults(RewriterBase &rewriter, nn::IfOp op, const llvm::SmallBitVector &kept) {
  if (kept.none())
    return rewriter.eraseOp(op);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> left = pick(op.getValues(), kept);
  auto smaller = nn::IfOp::create(rewriter, op.getLoc(), ValueRange(left).getTypes(), op.getCondition());
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), smaller->getRegions())) {
    rewriter.inlineRegionBefore(from, to, to.end());
    auto yield = cast<nn::YieldOp>(to.front().getTerminator());
    rewriter.setInsertionPoint(yield);
    rewriter.replaceOpWithNewOp<nn::YieldOp>(yield, pick(yield.getCarried(), kept), ValueRange());
    eraseUnused(rewriter, to.front());
  }
  for (auto [before, after] : llvm::zip_equal(left, smaller.getValues()))
    rewriter.replaceAllUsesWith(before, after);
  rewriter.eraseOp(op);
}

Operation *dropValues(RewriterBase &rewriter, Operation *loop, const KeptValues &kept) {
  OpBuilder::InsertionGuard guard(rewriter);
  nn::YieldOp yield = getYield(loop);
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<nn::YieldOp>(yield, pick(yield.getCarried(), kept.carried),
                                           pick(yield.getStacked(), kept.stacks));
  eraseUnused(rewriter, getBody(loop).front());
  llvm::SmallBitVector arguments = kept.carried;
  for (unsigned index = 0; index < kept.scanned.size(); ++index) {
    arguments.resize(arguments.size() + 1);
    arguments[arguments.size() - 1] = kept.scanned[index];
  }
  eraseArguments(rewriter, getBody(loop), arguments);

  rewriter.setInsertionPoint(loop);
  SmallVector<Value> initial = pick(getInitial(loop), kept.carried);
  SmallVector<Value> left = pick(getFinals(loop), kept.carried);
  llvm::append_range(left, pick(getStacks(loop), kept.stacks));
  SmallVector<Type> types(ValueRange(left).getTypes());
  Operation *result;
  if (auto counted = dyn_cast<nn::ForOp>(loop)) {
    auto op = nn::ForOp::create(rewriter, loop->getLoc(), types, counted.getTripCount(), counted.getCount(), initial,
                                pick(counted.getScanned(), kept.scanned), counted.getReverse());
    rewriter.inlineRegionBefore(counted.getBody(), op.getBody(), op.getBody().end());
    result = op;
  } else {
    auto asked = cast<nn::WhileOp>(loop);
    eraseUnused(rewriter, asked.getConditionRegion().front());
    eraseArguments(rewriter, asked.getConditionRegion(), kept.carried);
    left.push_back(asked.getTrips());
    types.push_back(asked.getTrips().getType());
    auto op = nn::WhileOp::create(rewriter, loop->getLoc(), types, asked.getBoundAttr(), initial);
    rewriter.inlineRegionBefore(asked.getConditionRegion(), op.getConditionRegion(), op.getConditionRegion().end());
    rewriter.inlineRegionBefore(asked.getBody(), op.getBody(), op.getBody().end());
    result = op;
  }
  for (auto [before, after] : llvm::zip_equal(left, result->getResults()))
    rewriter.replaceAllUsesWith(before, after);
  rewriter.eraseOp(loop);
  return result;
}

} // namespace nacre::graph
