// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A storage is alive from the first to the last step that touches it, directly or through views.

#include "compiler/schedule/Lifetimes.h"

#include "dialects/StoredBytes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace nacre::schedule {

/// Calls `touch` with every launch that works on `value` or a view of it.
static void forEachLaunch(Value value, llvm::function_ref<void(Operation *)> touch) {
  for (Operation *user : value.getUsers()) {
    if (auto view = dyn_cast<plan::ViewOp>(user))
      forEachLaunch(view.getResult(), touch);
    else
      touch(user);
  }
}

TemporaryLifetimes readLifetimes(plan::EntryOp entry) {
  Block &body = entry.getBody().front();
  llvm::DenseMap<Operation *, unsigned> stepOf;
  unsigned steps = 0;
  for (Operation &op : body)
    if (isa<plan::LaunchOp, plan::ForOp>(op))
      stepOf[&op] = steps++;

  TemporaryLifetimes result;
  for (auto storage : body.getOps<plan::StorageOp>()) {
    if (storage.getRole() != plan::Role::Temporary)
      continue;
    BufferDemand demand{storedBytes(cast<MemRefType>(storage.getResult().getType())), steps, 0};
    forEachLaunch(storage.getResult(), [&](Operation *launch) {
      unsigned step = stepOf.lookup(body.findAncestorOpInBlock(*launch));
      demand.firstStep = std::min(demand.firstStep, step);
      demand.lastStep = std::max(demand.lastStep, step);
    });
    if (demand.firstStep == steps) {
      result.untouched.push_back(storage);
      continue;
    }
    result.storages.push_back(storage);
    result.demands.push_back(demand);
  }
  return result;
}

} // namespace nacre::schedule
