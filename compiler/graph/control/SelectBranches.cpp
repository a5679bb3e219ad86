// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces a branch of a few elementwise operators by a selection between the results of both branches. Computing a few
// values in vain costs less than a jump, and the operators can be fused with their neighbours. No operator of `nn` can
// trap: an integer divided by zero is 0.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/Regions.h"

namespace nacre::graph {
#define GEN_PASS_DEF_SELECTBRANCHESPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

/// Largest number of operators in both branches together.
constexpr int64_t mostOperators = 8;

int64_t countElements(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

bool pays(nn::IfOp op) {
  int64_t largest = 0, operators = 0;
  for (Value result : op.getValues())
    largest = std::max(largest, countElements(result));
  for (Region &region : op->getRegions())
    for (Operation &inner : region.front().without_terminator()) {
      if (inner.getNumResults() == 1 && isConstant(inner.getResult(0)))
        continue;
      auto known = dyn_cast<nn::OperatorInterface>(inner);
      if (!known || known.getWorkKind() != nn::WorkKind::Elementwise || countElements(inner.getResult(0)) > largest ||
          ++operators > mostOperators)
        return false;
    }
  return op.getNumResults() > 0;
}

void select(IRRewriter &rewriter, nn::IfOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> onTrue = inlineBefore(rewriter, op.getThenRegion().front(), op, {}),
                     onFalse = inlineBefore(rewriter, op.getElseRegion().front(), op, {}), results;
  rewriter.setInsertionPoint(op);
  Value condition = op.getCondition();
  if (cast<RankedTensorType>(condition.getType()).getRank() > 0)
    condition = nn::ReshapeOp::create(rewriter, loc, RankedTensorType::get({}, rewriter.getI1Type()), condition);
  for (auto [a, b] : llvm::zip_equal(onTrue, onFalse))
    results.push_back(a == b ? a : Value(nn::SelectOp::create(rewriter, loc, condition, a, b)));
  rewriter.replaceOp(op, results);
}

struct SelectBranches : impl::SelectBranchesPassBase<SelectBranches> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Operation *op : findControl(getOperation()))
      if (auto branch = dyn_cast<nn::IfOp>(op); branch && pays(branch)) {
        select(rewriter, branch);
        ++numBranches;
      }
  }
};

} // namespace

} // namespace nacre::graph
