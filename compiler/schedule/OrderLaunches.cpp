// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reorders the launches of a training entry to reduce the memory that is alive at the same time. On a GPU, moves
// launches that can run simultaneously next to one another.
// Why: LaunchOrder.h and SideBySide.h explain the purpose.
// How: 1. read the storages that each step touches, through views and in the bodies of loops;
//      2. move everything else to the front, then the steps in their new order;
//      3. if the GPU computes the whole entry, move steps that can run simultaneously next to one another.

#include "compiler/schedule/LaunchOrder.h"
#include "compiler/schedule/Lifetimes.h"
#include "compiler/schedule/Passes.h"
#include "compiler/schedule/SideBySide.h"

#include "dialects/StoredBytes.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"
#include "llvm/ADT/DenseMap.h"

#include <numeric>

namespace nacre::schedule {
#define GEN_PASS_DEF_ORDERLAUNCHESPASS
#include "compiler/schedule/Passes.h.inc"
} // namespace nacre::schedule

using namespace mlir;

namespace nacre::schedule {
namespace {

bool isStep(Operation &op) { return isa<plan::LaunchOp, plan::ForOp, plan::WhileOp, plan::IfOp>(op); }

/// True if the entry writes state. Such entries update the state at the end, so memory of gradients is freed late.
bool keepsState(plan::EntryOp entry) {
  bool keeps = false;
  entry.walk([&](plan::LaunchOp launch) { keeps |= plan::writesState(launch); });
  return keeps;
}

/// True if the entry reads or writes state, such as trained weights that entries share.
bool hasState(plan::EntryOp entry) {
  return llvm::any_of(entry.getBody().getOps<plan::StorageOp>(),
                      [](plan::StorageOp storage) { return storage.getRole() == plan::Role::State; });
}

class StepReader {
public:
  explicit StepReader(Block &block) : block(block) {
    hasEndless = llvm::any_of(block, [](Operation &op) { return plan::mayBeEndless(&op); });
  }

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
      // The state must be written after all loops that may be endless, so these loops count as readers of the state.
      if (hasEndless && launch && plan::writesState(launch))
        note(Value(), 0, step.writes);
    });
    if (hasEndless && plan::mayBeEndless(op))
      note(Value(), 0, step.reads);
    return step;
  }

  SmallVector<int64_t> bytes;

private:
  void touch(Value value, SmallVectorImpl<unsigned> &touched) {
    value = plan::rootOf(value);
    auto storage = value.getDefiningOp<plan::StorageOp>();
    if (storage)
      note(value, isOwn(storage) ? storedBytes(cast<ShapedType>(value.getType())) : 0, touched);
  }

  /// Adds the index of a storage to `touched`. If `value` is null, it represents all states together.
  void note(Value value, int64_t itsBytes, SmallVectorImpl<unsigned> &touched) {
    auto [number, isNew] = numbers.try_emplace(value, bytes.size());
    if (isNew)
      bytes.push_back(itsBytes);
    if (!llvm::is_contained(touched, number->second))
      touched.push_back(number->second);
  }

  /// True if only this block touches a temporary. Otherwise, steps outside of a loop touch it, too, and it is alive for
  /// the whole loop.
  bool isOwn(plan::StorageOp storage) {
    SmallVector<Operation *> users(storage->getUsers());
    for (size_t i = 0; i < users.size(); ++i)
      if (isa<plan::ViewOp>(users[i]))
        llvm::append_range(users, users[i]->getUsers());
      else if (!block.findAncestorOpInBlock(*users[i]))
        return false;
    return storage.getRole() == plan::Role::Temporary;
  }

  Block &block;
  bool hasEndless;
  llvm::DenseMap<Value, unsigned> numbers;
};

/// True if every step is a launch that only the GPU computes.
bool isGpus(ArrayRef<Operation *> steps) {
  return llvm::all_of(steps, [](Operation *step) {
    auto launch = dyn_cast<plan::LaunchOp>(step);
    return launch && launch.getCpu() && (*launch.getCpu())[0] == (*launch.getCpu())[1];
  });
}

bool isTemporary(Value value) {
  auto storage = plan::rootOf(value).getDefiningOp<plan::StorageOp>();
  return storage && storage.getRole() == plan::Role::Temporary;
}

/// Orders the steps of a block, then the steps of its regions. If `isInPlace`, their order stays, except for steps that
/// can run simultaneously. Returns true if the order changed.
bool orderBlock(Block &block, bool isInPlace, bool isShort) {
  SmallVector<Operation *> steps;
  for (Operation &op : block)
    if (isStep(op))
      steps.push_back(&op);
  std::vector<unsigned> order(steps.size());
  std::iota(order.begin(), order.end(), 0);
  if (!isInPlace) {
    StepReader reader(block);
    std::vector<TouchingStep> touching;
    for (Operation *step : steps)
      touching.push_back(reader.read(step));
    order = orderSteps(touching, reader.bytes, isShort);
  }
  if (auto entry = dyn_cast<plan::EntryOp>(block.getParentOp()); entry && !isShort && isGpus(steps)) {
    const std::vector<TouchingStep> pieces = touchedPieces(readProgram(entry).steps);
    std::vector<TouchingStep> inOrder;
    for (unsigned step : order) {
      inOrder.push_back(pieces[step]);
      auto launch = cast<plan::LaunchOp>(steps[step]);
      inOrder.back().isEnd = llvm::none_of(launch.getOutputs(), isTemporary);
      inOrder.back().isBegin = llvm::none_of(launch.getInputs(), isTemporary);
    }
    const std::vector<unsigned> places = orderSideBySide(inOrder), before = std::exchange(order, {});
    for (unsigned place : places)
      order.push_back(before[place]);
    entry->setAttr(plan::kSideBySide, UnitAttr::get(entry.getContext()));
  }
  bool isOrdered = !llvm::is_sorted(order);
  if (isOrdered) {
    // Move steps after everything else, so that no view comes after its readers.
    Operation *end = block.mightHaveTerminator() ? block.getTerminator() : nullptr;
    for (unsigned step : order)
      end ? steps[step]->moveBefore(end) : steps[step]->moveBefore(&block, block.end());
  }
  for (Operation *step : steps)
    for (Region &region : step->getRegions())
      for (Block &inner : region)
        isOrdered |= orderBlock(inner, isInPlace, isShort);
  return isOrdered;
}

struct OrderLaunches : impl::OrderLaunchesPassBase<OrderLaunches> {
  using OrderLaunchesPassBase::OrderLaunchesPassBase;

  void runOnOperation() override {
    if (hasState(getOperation()) && orderBlock(getOperation().getBody().front(), !keepsState(getOperation()), isShort))
      ++numEntries;
  }
};

} // namespace
} // namespace nacre::schedule
