// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the post-conditions of the schedule phase. A wrong offset or range would give wrong results on a phone. This
// pass reports an error instead that names the pass at fault.

#include "compiler/schedule/Lifetimes.h"
#include "compiler/schedule/Passes.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <map>
#include <set>

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

  // Visit the storages in the order of their first steps, and keep the live ones sorted by offset. Live storages are
  // disjoint, so only the nearest neighbours can overlap the next one.
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, lifetimes.demands.size()));
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return lifetimes.demands[a].firstStep < lifetimes.demands[b].firstStep; });
  auto begin = [&](unsigned i) { return *lifetimes.storages[i].getOffset(); };
  auto end = [&](unsigned i) { return begin(i) + lifetimes.demands[i].sizeInBytes; };
  std::map<int64_t, unsigned> alive;
  std::set<std::pair<unsigned, unsigned>> ends; // Last step of each live storage, and its index.
  for (unsigned index : order) {
    for (; !ends.empty() && ends.begin()->first < lifetimes.demands[index].firstStep; ends.erase(ends.begin()))
      alive.erase(begin(ends.begin()->second));
    plan::StorageOp storage = lifetimes.storages[index];
    if (begin(index) < 0 || end(index) > *entry.getArenaBytes())
      return blame(storage.emitOpError("must lie inside the arena"), "nacre-plan-arena");
    if (begin(index) == end(index))
      continue;
    auto next = alive.lower_bound(begin(index));
    auto overlaps = [&](auto other) { return begin(index) < end(other->second) && other->first < end(index); };
    const bool overlapsNext = next != alive.end() && overlaps(next);
    if (overlapsNext || (next != alive.begin() && overlaps(std::prev(next)))) {
      InFlightDiagnostic error = storage.emitOpError("must not share bytes with a storage alive at the same step");
      error.attachNote(lifetimes.storages[(overlapsNext ? next : std::prev(next))->second].getLoc())
          << "the other storage";
      return blame(std::move(error), "nacre-plan-arena");
    }
    alive[begin(index)] = index;
    ends.insert({lifetimes.demands[index].lastStep, index});
  }
  return success();
}

bool isRange(std::optional<ArrayRef<int64_t>> range, int64_t extent) {
  return range && range->size() == 2 && 0 <= (*range)[0] && (*range)[0] <= (*range)[1] && (*range)[1] <= extent;
}

/// Returns how many elements of an argument's memory a kernel accesses: up to the last one in its slices, or all
/// elements.
int64_t countElementsReached(BlockArgument argument) {
  auto type = cast<RankedTensorType>(argument.getType());
  int64_t reached = 0;
  for (OpOperand &use : argument.getUses()) {
    auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(use.getOwner());
    auto insertion = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
    if (!slice || (insertion && insertion.getDest() != argument))
      return type.getNumElements();
    int64_t last = 0;
    for (auto [axis, extent] : llvm::enumerate(type.getShape()))
      last =
          last * extent + slice.getStaticOffset(axis) + (slice.getStaticSize(axis) - 1) * slice.getStaticStride(axis);
    reached = std::max(reached, last + 1);
  }
  return reached;
}

/// True if the kernel accesses no element after the end of the view's source. The last row of a view may extend beyond
/// that end, but must not be accessed there.
bool staysInside(Value operand, BlockArgument argument) {
  auto view = operand.getDefiningOp<plan::ViewOp>();
  if (!view || view.getCounter())
    return true;
  const int64_t room = cast<ShapedType>(view.getSource().getType()).getNumElements() - view.getOffset();
  return cast<ShapedType>(operand.getType()).getNumElements() <= room || countElementsReached(argument) <= room;
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
    if (!staysInside(operand, argument))
      return blame(launch.emitOpError("operand ") << argument.getArgNumber() << " must lie inside its storage",
                   "nacre-assign-storages");
  }
  if (!isRange(launch.getCpu(), kernel.getCutExtent()) || !isRange(launch.getGpu(), kernel.getCutExtent()))
    return blame(launch.emitOpError("must have ranges on the cut axis"), "nacre-place-kernels");
  if (plan::isDeclinedByGpu(kernel) && plan::gpuShareOf(launch) > 0)
    return blame(launch.emitOpError("must be only the CPU's, because no GPU has code for it"), "nacre-place-kernels");
  if (plan::gpuShareOf(launch) > 0 && plan::isInDecision(launch))
    return blame(launch.emitOpError("must be only the CPU's, because its number of executions is decided at run time"),
                 "nacre-place-kernels");
  return success();
}

/// Checks that no write of the state precedes a loop that may be endless. A run that is cancelled in such a loop must
/// leave the state unchanged.
LogicalResult verifyEndless(plan::EntryOp entry) {
  bool isWritten = false;
  for (Operation &step : entry.getBody().front()) {
    step.walk([&](plan::LaunchOp launch) { isWritten |= plan::writesState(launch); });
    if (isWritten && plan::mayBeEndless(&step))
      return blame(step.emitOpError("must come before every launch that writes the state, as it may be endless"),
                   "nacre-order-launches");
  }
  return success();
}

struct VerifySchedule : schedule::impl::VerifySchedulePassBase<VerifySchedule> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<plan::EntryOp>()) {
      WalkResult walk = entry.walk([&](plan::LaunchOp launch) {
        return failed(verifyLaunch(launch, symbols)) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (walk.wasInterrupted() || failed(verifyOffsets(entry)) || failed(verifyEndless(entry)))
        return signalPassFailure();
    }
  }
};

} // namespace
