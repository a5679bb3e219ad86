// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: states the schedule phase's post-condition.
// Why:  a wrong offset or range would be wrong numbers on a phone; here it is an error that names the pass at fault.

#include "compiler/schedule/Lifetimes.h"
#include "compiler/schedule/Passes.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace nacre::schedule {
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "compiler/schedule/Passes.h.inc"
} // namespace nacre::schedule

using namespace mlir;
using namespace nacre;

namespace {

LogicalResult blame(InFlightDiagnostic error, StringRef pass) {
  error.attachNote() << "likely a missing case in " << pass;
  return failure();
}

LogicalResult verifyOffsets(plan::EntryOp entry) {
  if (!entry.getArenaBytes())
    return blame(entry.emitOpError("must have arena_bytes after the schedule phase"), "nacre-plan-arena");
  schedule::TemporaryLifetimes lifetimes = schedule::readLifetimes(entry);
  for (plan::StorageOp storage : entry.getBody().front().getOps<plan::StorageOp>())
    if (storage.getRole() == plan::Role::Temporary && !storage.getOffset())
      return blame(storage.emitOpError("must have an offset after the schedule phase"), "nacre-plan-arena");

  // Sorted by first step, only demands that are still alive can overlap the next one.
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, lifetimes.demands.size()));
  SmallVector<unsigned> alive;
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return lifetimes.demands[a].firstStep < lifetimes.demands[b].firstStep; });
  auto begin = [&](unsigned i) { return *lifetimes.storages[i].getOffset(); };
  auto end = [&](unsigned i) { return begin(i) + lifetimes.demands[i].sizeInBytes; };
  for (unsigned index : order) {
    llvm::erase_if(
        alive, [&](unsigned other) { return lifetimes.demands[other].lastStep < lifetimes.demands[index].firstStep; });
    plan::StorageOp storage = lifetimes.storages[index];
    if (begin(index) < 0 || end(index) > *entry.getArenaBytes())
      return blame(storage.emitOpError("must lie inside the arena"), "nacre-plan-arena");
    for (unsigned other : alive)
      if (begin(index) < end(other) && begin(other) < end(index)) {
        InFlightDiagnostic error = storage.emitOpError("must not share bytes with a storage alive at the same step");
        error.attachNote(lifetimes.storages[other].getLoc()) << "the other storage";
        return blame(std::move(error), "nacre-plan-arena");
      }
    alive.push_back(index);
  }
  return success();
}

bool isRange(std::optional<ArrayRef<int64_t>> range, int64_t extent) {
  return range && range->size() == 2 && 0 <= (*range)[0] && (*range)[0] <= (*range)[1] && (*range)[1] <= extent;
}

LogicalResult verifyLaunch(plan::LaunchOp launch, SymbolTable &symbols) {
  auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
  if (!kernel)
    return launch.emitOpError("must name a kernel, but names ") << launch.getKernelAttr();
  SmallVector<Value> operands(launch.getInputs());
  llvm::append_range(operands, launch.getOutputs());
  if (operands.size() != kernel.getBody().getNumArguments() ||
      launch.getInputs().size() != size_t(kernel.getNumInputs()))
    return launch.emitOpError("must have the operands of its kernel ") << launch.getKernelAttr();
  for (auto [operand, argument] : llvm::zip_equal(operands, kernel.getBody().getArguments())) {
    auto have = dyn_cast<MemRefType>(operand.getType());
    auto want = cast<RankedTensorType>(argument.getType());
    if (!have || have.getShape() != want.getShape() || have.getElementType() != want.getElementType())
      return launch.emitOpError("operand ")
             << argument.getArgNumber() << " must be a storage of " << want << ", but is " << operand.getType();
  }
  if (!isRange(launch.getCpu(), kernel.getCutExtent()) || !isRange(launch.getGpu(), kernel.getCutExtent()))
    return blame(launch.emitOpError("must have ranges on the cut axis"), "nacre-place-kernels");
  if (plan::isDeclinedByGpu(kernel) && plan::gpuShareOf(launch) > 0)
    return blame(launch.emitOpError("must be the CPU's alone, because no GPU has code for it"), "nacre-place-kernels");
  if (plan::gpuShareOf(launch) > 0 && plan::isInDecision(launch))
    return blame(launch.emitOpError("must be the CPU's alone, because a run decides how often it is executed"),
                 "nacre-place-kernels");
  return success();
}

struct VerifySchedule : schedule::impl::VerifySchedulePassBase<VerifySchedule> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<plan::EntryOp>()) {
      WalkResult walk = entry.walk([&](plan::LaunchOp launch) {
        return failed(verifyLaunch(launch, symbols)) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (walk.wasInterrupted() || failed(verifyOffsets(entry)))
        return signalPassFailure();
    }
  }
};

} // namespace
