// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the steps of an entry in the form of StorageLives.h, and the sizes and lifetimes of its temporaries. Operands
// are followed through views to their storages. Launches and control steps are in program order.

#include "compiler/schedule/Lifetimes.h"

#include "compiler/schedule/SideBySide.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/Notes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

class StepReader {
public:
  explicit StepReader(plan::EntryOp entry) {
    for (auto storage : entry.getBody().front().getOps<plan::StorageOp>()) {
      numbers[storage.getResult()] = program.storages.size();
      program.storages.push_back(storage);
    }
    program.steps = read(entry.getBody());
  }

  EntryProgram program;

private:
  std::vector<Step> read(Region &region) {
    std::vector<Step> list;
    if (!region.empty())
      for (Operation &op : region.front())
        if (isa<plan::LaunchOp, plan::ForOp, plan::WhileOp, plan::ConditionOp, plan::IfOp>(op))
          list.push_back(read(op));
    return list;
  }

  Step read(Operation &op) {
    Step step;
    step.id = program.operations.size();
    program.operations.push_back(&op);
    if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
      touch(launch.getInputs(), /*writes=*/false, step);
      touch(launch.getOutputs(), /*writes=*/true, step);
      return step;
    }
    touch(op.getOperands(), /*writes=*/false, step);
    if (isa<plan::ForOp, plan::WhileOp>(op))
      step.kind = StepKind::Loop;
    else if (isa<plan::IfOp>(op))
      step.kind = StepKind::If;
    if (auto loop = dyn_cast<plan::ForOp>(op))
      step.mayHaveNoIteration = bool(loop.getCount());
    if (op.getNumRegions() > 0)
      step.first = read(op.getRegion(0));
    if (op.getNumRegions() > 1)
      step.second = read(op.getRegion(1));
    return step;
  }

  void touch(ValueRange operands, bool writes, Step &step) {
    for (Value operand : operands) {
      Touch touch;
      touch.writes = writes;
      touch.end = storedBytes(cast<ShapedType>(operand.getType()));
      while (auto view = operand.getDefiningOp<plan::ViewOp>()) {
        operand = view.getSource();
        auto source = cast<ShapedType>(operand.getType());
        const int64_t offset = view.getOffset() * bytesOfElement(source.getElementType());
        touch.moves |= bool(view.getCounter());
        touch.begin = view.getCounter() ? 0 : touch.begin + offset;
        touch.end = view.getCounter() ? storedBytes(source) : touch.end + offset;
      }
      if (auto number = numbers.find(operand); number != numbers.end()) {
        touch.storage = number->second;
        step.touches.push_back(touch);
      }
    }
  }

  llvm::DenseMap<Value, unsigned> numbers;
};

/// Returns the first and the last step of each step's group, for an entry that consists only of launches.
std::vector<Life> readGroups(const EntryProgram &program) {
  const std::vector<unsigned> numbers = groupsOf(touchedPieces(program.steps));
  std::vector<Life> groups;
  for (unsigned step = 0, count = numbers.size(); step < count; ++step) {
    Life group{step, step};
    while (group.first > 0 && numbers[group.first - 1] == numbers[step])
      --group.first;
    while (group.last + 1 < count && numbers[group.last + 1] == numbers[step])
      ++group.last;
    groups.push_back(group);
  }
  return groups;
}

} // namespace

EntryProgram readProgram(plan::EntryOp entry) { return StepReader(entry).program; }

TemporaryLifetimes readLifetimes(plan::EntryOp entry) {
  EntryProgram program = readProgram(entry);
  TemporaryLifetimes result;
  const bool isSideBySide = entry->hasAttr(plan::kSideBySide);
  const std::vector<Life> groups = isSideBySide ? readGroups(program) : std::vector<Life>();
  std::vector<Life> lives = readLives(program.steps, program.storages.size());
  for (auto [storage, life] : llvm::zip_equal(program.storages, lives)) {
    if (storage.getRole() != plan::Role::Temporary)
      continue;
    if (life.first > life.last) {
      result.untouched.push_back(storage);
      continue;
    }
    if (isSideBySide)
      life = {groups[life.first].first, groups[life.last].last};
    result.storages.push_back(storage);
    result.demands.push_back({storedBytes(cast<MemRefType>(storage.getResult().getType())), life.first, life.last});
  }
  return result;
}

int64_t portBytes(plan::EntryOp entry) {
  constexpr uint64_t alignment = 64;
  int64_t bytes = 0;
  for (auto storage : entry.getBody().front().getOps<plan::StorageOp>())
    if (storage.getRole() == plan::Role::Input || storage.getRole() == plan::Role::Output)
      bytes += int64_t(llvm::alignTo(storedBytes(cast<ShapedType>(storage.getResult().getType())), alignment));
  return bytes;
}

} // namespace nacre::schedule
