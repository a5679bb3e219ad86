// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Finds the conditional that writes the memory of `next`, and the stores of its branches. Branches may contain
//    conditionals.
// 2. Handles three kinds of stores. A store of the old value is removed. A launch in the branch may compute the value
//    in place. A value that lies elsewhere is copied at the end of the branch.
// 3. Changes the IR only if all stores are of these kinds.

#include "compiler/kernels/entries/WrittenBranches.h"

#include "compiler/kernels/entries/InPlace.h"
#include "dialects/plan/PlanDialect.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

class BranchWriter {
public:
  BranchWriter(Value old, const llvm::DenseSet<Value> &overwritten) : old(old), overwritten(overwritten) {}

  /// True if the branches of a conditional in `block` may write `next` over the old value. Records the stores to
  /// change.
  bool collect(Value next, Block *block) {
    auto view = next.getDefiningOp<plan::ViewOp>();
    auto memory = view ? view.getSource().getDefiningOp<plan::StorageOp>() : plan::StorageOp();
    if (!memory || memory.getRole() != plan::Role::Temporary)
      return false;
    Operation *branches = nullptr;
    SmallVector<plan::StoreOp> stores;
    for (Operation *user : memory->getUsers())
      if (auto store = dyn_cast<plan::StoreOp>(user)) {
        Operation *around = block->findAncestorOpInBlock(*user);
        if (!isa_and_nonnull<plan::IfOp>(around) || store->getParentOp() != around || (branches && branches != around))
          return false;
        branches = around;
        stores.push_back(store);
      } else if (!isa<plan::ViewOp>(user) || overwritten.contains(user->getResult(0))) {
        return false; // Also false if a carried value already lies in this memory.
      }
    if (!branches || !isReadBefore(old, branches))
      return false;
    memories.push_back(memory);
    return llvm::all_of(stores, [&](plan::StoreOp store) { return collect(store); });
  }

  void apply(Value memory) {
    for (plan::StorageOp own : memories) {
      own.replaceAllUsesWith(memory);
      own.erase();
    }
    for (plan::StoreOp store : late) {
      store.setLate(true);
      store->moveBefore(store->getBlock(), store->getBlock()->end());
    }
    for (plan::StoreOp store : needless)
      store.erase();
  }

private:
  bool collect(plan::StoreOp store) {
    Value value = store.getValue();
    if (value != old && mayLieIn(value, overwritten))
      return false;
    if (value == old || tryCollect(value, store->getBlock()))
      needless.push_back(store);
    else if (!mayOverwrite(old, value, store->getBlock()))
      late.push_back(store);
    return true;
  }

  /// Calls collect(). Restores the recorded stores if it returns false.
  bool tryCollect(Value next, Block *block) {
    const size_t numMemories = memories.size(), numLate = late.size(), numNeedless = needless.size();
    if (collect(next, block))
      return true;
    memories.truncate(numMemories);
    late.truncate(numLate);
    needless.truncate(numNeedless);
    return false;
  }

  Value old;
  const llvm::DenseSet<Value> &overwritten;
  SmallVector<plan::StorageOp> memories;
  SmallVector<plan::StoreOp> late, needless;
};

} // namespace

bool writeInBranches(Value old, Value next, Value memory, const llvm::DenseSet<Value> &overwritten) {
  BranchWriter writer(old, overwritten);
  if (!writer.collect(next, old.getParentBlock()))
    return false;
  writer.apply(memory);
  return true;
}

} // namespace nacre::kernels
