// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every temporary storage a fixed offset in one arena, which the caller owns.
// Why: the peak of memory is known at compile time, so an app can check it before it loads a model. Inference never
//      calls a heap allocator.
// How: 1. read every storage's lifetime from the entry (Lifetimes.h);
//      2. pack the storages by their lifetimes (ArenaPlanner.h);
//      3. move them so that threads write cache lines that their core owns (AlignMiddles.h);
//      4. write the offsets into the entry.

#include "compiler/schedule/AlignMiddles.h"
#include "compiler/schedule/Lifetimes.h"
#include "compiler/schedule/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "nacre-plan-arena"

namespace nacre::schedule {
#define GEN_PASS_DEF_PLANARENAPASS
#include "compiler/schedule/Passes.h.inc"
} // namespace nacre::schedule

using namespace mlir;

namespace {

struct PlanArena : nacre::schedule::impl::PlanArenaPassBase<PlanArena> {
  using PlanArenaPassBase::PlanArenaPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (alignment > 0 && llvm::isPowerOf2_64(alignment))
      return success();
    return emitError(UnknownLoc::get(context))
           << "nacre-plan-arena: alignment must be a power of two, but is " << alignment.getValue();
  }

  void runOnOperation() override {
    nacre::plan::EntryOp entry = getOperation();
    nacre::schedule::TemporaryLifetimes lifetimes = nacre::schedule::readLifetimes(entry);
    // The planner adds up sizes. This check ensures that no sum overflows.
    int64_t total = 0;
    for (const nacre::schedule::BufferDemand &demand : lifetimes.demands)
      if (llvm::AddOverflow(total, demand.sizeInBytes, total) ||
          llvm::AddOverflow<int64_t>(total, 3 * alignment, total)) {
        entry.emitOpError("must need less than 2^63 bytes for its temporaries");
        return signalPassFailure();
      }
    const nacre::schedule::ArenaPlan smallest = nacre::schedule::planArena(lifetimes.demands, alignment);
    nacre::schedule::ArenaPlan plan = nacre::schedule::alignMiddles(lifetimes.demands, smallest, alignment);
    LDBG() << entry.getSymName() << ": " << lifetimes.demands.size() << " storages in " << plan.sizeInBytes
           << " bytes, peak " << nacre::schedule::peakBytes(lifetimes.demands);

    OpBuilder builder(entry.getContext());
    for (auto [storage, offset] : llvm::zip_equal(lifetimes.storages, plan.offsetsInBytes))
      storage.setOffsetAttr(builder.getI64IntegerAttr(offset));
    for (nacre::plan::StorageOp storage : lifetimes.untouched) {
      for (Operation *view : llvm::make_early_inc_range(storage->getUsers()))
        view->erase();
      storage.erase();
    }
    entry.setArenaBytesAttr(builder.getI64IntegerAttr(plan.sizeInBytes));
    numStorages += lifetimes.storages.size();
    arenaBytes += plan.sizeInBytes;
  }
};

} // namespace
