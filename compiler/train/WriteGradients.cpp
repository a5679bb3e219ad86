// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the gradients that the model itself computes (nn.gradient).
// Why: ONNX has a node for gradients. Nodes after it, usually an optimizer, read its results as ordinary tensors.
// How: it appends the backward pass to the operators of the region, then replaces the operator by the region.

#include "compiler/train/Passes.h"
#include "compiler/train/rules/GradientRules.h"

#include "mlir/IR/PatternMatch.h"

namespace nacre::train {
#define GEN_PASS_DEF_WRITEGRADIENTSPASS
#include "compiler/train/Passes.h.inc"
} // namespace nacre::train

using namespace mlir;

namespace nacre::train {

bool asksForGradients(func::FuncOp function) {
  return function.walk([](nn::GradientOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

namespace {

LogicalResult write(nn::GradientOp op) {
  Block &body = op.getBody().front();
  ActiveValues active;
  for (BlockArgument argument : body.getArguments().take_front(op.getNumResults()))
    active.insert(argument);
  active.follow(body);
  OpBuilder builder(body.getTerminator());
  llvm::SetVector<Operation *> cuts;
  ReverseWalk walk(builder, active, cuts);
  Writer writer(builder, op.getLoc());
  Value y = op.getYield().getCarried().front();
  walk.give(y, writer.broadcast(writer.number(y, 1), shapeOf(y)));
  if (failed(walk.run(body)))
    return failure();
  SmallVector<Value> gradients;
  for (BlockArgument argument : body.getArguments().take_front(op.getNumResults())) {
    Value gradient = walk.lookupOrZeros(argument);
    auto given = dyn_cast<BlockArgument>(gradient);
    gradients.push_back(given && given.getOwner() == &body ? op.getPoint()[given.getArgNumber()] : gradient);
  }
  IRRewriter rewriter(op.getContext());
  Operation *yield = op.getYield();
  rewriter.inlineBlockBefore(&body, op, op.getPoint());
  rewriter.eraseOp(yield);
  rewriter.replaceOp(op, gradients);
  return success();
}

struct WriteGradients : impl::WriteGradientsPassBase<WriteGradients> {
  void runOnOperation() override {
    SmallVector<nn::GradientOp> operators;
    getOperation().walk([&](nn::GradientOp op) { operators.push_back(op); }); // Inner operators are collected first.
    for (nn::GradientOp op : operators)
      if (failed(write(op)))
        return signalPassFailure();
  }
};

} // namespace

} // namespace nacre::train
