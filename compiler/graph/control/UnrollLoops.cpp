// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolls loops of one iteration, and short loops of a few cheap operators. An iteration has the cost of steps, views
// and storages, but unrolled operators can be fused and folded. Each iteration becomes a copy of the body. Its index is
// a constant, slices replace rows, and stacks are concatenated.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/Regions.h"

#include "mlir/IR/IRMapping.h"

namespace nacre::graph {
#define GEN_PASS_DEF_UNROLLLOOPSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

/// True if a kernel of other operators can contain `op`, or if `op` needs no kernel.
bool isCheap(Operation *op) {
  auto known = dyn_cast<nn::OperatorInterface>(op);
  return known && op->getNumRegions() == 0 && !isa<nn::RecurrentOp>(op) &&
         (known.getWorkKind() == nn::WorkKind::Elementwise || known.getWorkKind() == nn::WorkKind::Boundary);
}

Value makeStack(OpBuilder &builder, Location loc, ArrayRef<Value> rows) {
  SmallVector<Value> parts;
  for (Value row : rows) {
    auto type = cast<RankedTensorType>(row.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    parts.push_back(nn::ReshapeOp::create(builder, loc, type.clone(shape), row));
  }
  return parts.size() == 1 ? parts.front() : Value(nn::ConcatOp::create(builder, loc, parts, uint64_t(0)));
}

void unroll(IRRewriter &rewriter, nn::ForOp loop) {
  Location loc = loop.getLoc();
  const int64_t iterations = loop.getTripCount();
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> carried(loop.getInitial());
  SmallVector<SmallVector<Value>> stacks(loop.getStacks().size());
  for (int64_t iteration = 0; iteration < iterations; ++iteration) {
    const int64_t row = loop.getReverse() ? iterations - 1 - iteration : iteration;
    auto counter = DenseElementsAttr::get(cast<RankedTensorType>(loop.getCounter().getType()), iteration);
    IRMapping values;
    values.map(loop.getCounter(), nn::ConstantOp::create(rewriter, loc, counter).getResult());
    values.map(loop.getCarriedArguments(), carried);
    for (auto [argument, rows] : llvm::zip_equal(loop.getScannedArguments(), loop.getScanned()))
      values.map(argument, makeRow(rewriter, loc, rows, row));
    for (Operation &op : loop.getBody().front().without_terminator())
      rewriter.clone(op, values);
    for (auto [value, next] : llvm::zip_equal(carried, loop.getYield().getCarried()))
      value = values.lookupOrDefault(next);
    for (auto [stack, next] : llvm::zip_equal(stacks, loop.getYield().getStacked()))
      stack.insert(loop.getReverse() ? stack.begin() : stack.end(), values.lookupOrDefault(next));
  }
  for (ArrayRef<Value> stack : stacks)
    carried.push_back(makeStack(rewriter, loc, stack));
  rewriter.replaceOp(loop, carried);
}

struct UnrollLoops : impl::UnrollLoopsPassBase<UnrollLoops> {
  using UnrollLoopsPassBase::UnrollLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Operation *op : findControl(getOperation()))
      if (auto loop = dyn_cast<nn::ForOp>(op); loop && pays(loop)) {
        unroll(rewriter, loop);
        ++numLoops;
      }
  }

  bool pays(nn::ForOp loop) const {
    if (loop.getCount() || loop.getTripCount() < 1)
      return false;
    if (loop.getTripCount() == 1)
      return true;
    int64_t operators = 0;
    for (Operation &op : loop.getBody().front().without_terminator()) {
      if (op.getNumResults() == 1 && isConstant(op.getResult(0)))
        continue;
      if (!isCheap(&op))
        return false;
      ++operators;
    }
    return loop.getTripCount() <= maxIterations && operators <= maxOperators;
  }
};

} // namespace

} // namespace nacre::graph
