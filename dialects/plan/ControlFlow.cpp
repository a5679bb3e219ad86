// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/plan/ControlFlow.h"

using namespace mlir;

namespace nacre::plan {

/// Limit of the expected iterations of a loop that may end before its bound. A larger bound is only a safeguard.
static constexpr int64_t kMostExpectedIterations = 1000;
/// Limit of the iterations of a loop that need not be cancellable. With short launches, that many iterations take
/// seconds.
static constexpr int64_t kMostCertainIterations = 1 << 20;

double expectIterations(Operation *step) {
  if (isa<IfOp>(step))
    return 0.5;
  if (auto tested = dyn_cast<WhileOp>(step))
    return double(std::min(tested.getBound().value_or(kUnknownIterations), kMostExpectedIterations));
  auto counted = cast<ForOp>(step);
  return double(counted.getCount() ? std::min(counted.getTripCount(), kMostExpectedIterations)
                                   : counted.getTripCount());
}

bool isDecidedByRun(Operation *step) {
  return step
      ->walk([](Operation *op) {
        auto loop = dyn_cast<ForOp>(op);
        return isa<WhileOp, IfOp>(op) || (loop && loop.getCount()) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mayBeEndless(Operation *step) {
  return step
      ->walk([](Operation *op) {
        int64_t most = 0;
        if (auto tested = dyn_cast<WhileOp>(op))
          most = tested.getBound().value_or(INT64_MAX);
        else if (auto counted = dyn_cast<ForOp>(op))
          most = counted.getTripCount();
        return most > kMostCertainIterations ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool writesState(LaunchOp launch) {
  return llvm::any_of(launch.getOutputs(), [](Value output) {
    auto storage = rootOf(output).getDefiningOp<StorageOp>();
    return storage && storage.getRole() == Role::State;
  });
}

bool isInDecision(LaunchOp launch) {
  Operation *step = launch;
  while (!isa<EntryOp>(step->getParentOp()))
    step = step->getParentOp();
  return isDecidedByRun(step);
}

double countExecutions(LaunchOp launch) {
  double executions = 1;
  for (Operation *around = launch->getParentOp(); !isa<EntryOp>(around); around = around->getParentOp())
    executions *= expectIterations(around);
  return executions;
}

} // namespace nacre::plan
