// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: puts the launches of an entry that trains into an order in which less memory is alive at once.
// Why:  see LaunchOrder.h.
// How:  1. what each step touches, through views, bodies of loops included; 2. all else first, then the steps in their order.

#include "compiler/schedule/LaunchOrder.h"
#include "compiler/schedule/Passes.h"

#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace nacre::schedule {
#define GEN_PASS_DEF_ORDERLAUNCHESPASS
#include "compiler/schedule/Passes.h.inc"
} // namespace nacre::schedule

using namespace mlir;

namespace nacre::schedule {
namespace {

bool isStep(Operation &op) { return isa<plan::LaunchOp, plan::ForOp, plan::WhileOp, plan::IfOp>(op); }

Value rootOf(Value value) {
  while (auto view = value.getDefiningOp<plan::ViewOp>())
    value = view.getSource();
  return value;
}

/// What a program keeps from run to run it writes when it is done with what it was: whoever does so frees memory late.
bool keepsState(plan::EntryOp entry) {
  bool keeps = false;
  entry.walk([&](plan::LaunchOp launch) {
    for (Value output : launch.getOutputs())
      if (auto storage = rootOf(output).getDefiningOp<plan::StorageOp>())
        keeps |= storage.getRole() == plan::Role::State;
  });
  return keeps;
}

class StepReader {
public:
  TouchingStep read(Operation *op) {
    TouchingStep step;
    op->walk([&](Operation *inner) {
      if (isa<plan::ViewOp>(inner))
        return;
      auto launch = dyn_cast<plan::LaunchOp>(inner);
      for (Value value : launch ? launch.getInputs() : inner->getOperands())
        touch(value, step.reads);
      if (launch)
        for (Value value : launch.getOutputs())
          touch(value, step.writes);
    });
    return step;
  }

  SmallVector<int64_t> bytes;

private:
  void touch(Value value, SmallVectorImpl<unsigned> &touched) {
    value = rootOf(value);
    auto storage = value.getDefiningOp<plan::StorageOp>();
    if (!storage)
      return;
    auto [number, isNew] = numbers.try_emplace(value, bytes.size());
    if (isNew)
      bytes.push_back(storage.getRole() == plan::Role::Temporary ? storedBytes(cast<ShapedType>(value.getType())) : 0);
    if (!llvm::is_contained(touched, number->second))
      touched.push_back(number->second);
  }

  llvm::DenseMap<Value, unsigned> numbers;
};

struct OrderLaunches : impl::OrderLaunchesPassBase<OrderLaunches> {
  using OrderLaunchesPassBase::OrderLaunchesPassBase;

  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    SmallVector<Operation *> steps;
    for (Operation &op : body)
      if (isStep(op))
        steps.push_back(&op);
    if (!keepsState(getOperation()))
      return;
    StepReader reader;
    std::vector<TouchingStep> touching;
    for (Operation *step : steps)
      touching.push_back(reader.read(step));
    const std::vector<unsigned> order = orderSteps(touching, reader.bytes);
    if (llvm::is_sorted(order))
      return;
    // Behind everything else, so that no view stands behind what reads it.
    for (unsigned step : order)
      steps[step]->moveBefore(&body, body.end());
    ++numEntries;
  }
};

} // namespace
} // namespace nacre::schedule
