// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/panels/PanelSource.h"

#include "codegen/form/KernelForm.h"
#include "compiler/encode/panels/PackKernels.h"
#include "dialects/plan/ControlFlow.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacre::codegen;

namespace nacre::encode {

//===----------------------------------------------------------------------===//
// Readers and writers of a storage
//===----------------------------------------------------------------------===//

namespace {

struct Touches {
  SmallVector<plan::LaunchOp> writers;
  SmallVector<plan::ViewOp> views;
  bool isRead = false;
};

void collect(Value memory, Touches &touches) {
  for (OpOperand &use : memory.getUses()) {
    if (auto view = dyn_cast<plan::ViewOp>(use.getOwner())) {
      touches.views.push_back(view);
      collect(view, touches);
      continue;
    }
    auto launch = dyn_cast<plan::LaunchOp>(use.getOwner());
    if (launch && use.getOperandNumber() >= launch.getInputs().size())
      touches.writers.push_back(launch);
    else
      touches.isRead = true;
  }
}

/// Returns the offset in its storage at which a view starts. Returns `nullopt` if a loop moves the view.
std::optional<int64_t> startOf(Value operand) {
  int64_t start = 0;
  while (auto view = operand.getDefiningOp<plan::ViewOp>()) {
    if (view.getCounter())
      return std::nullopt;
    start += view.getOffset();
    operand = view.getSource();
  }
  return start;
}

bool writes(plan::LaunchOp launch, Value storage) {
  return llvm::any_of(launch.getOutputs(), [&](Value written) { return plan::rootOf(written) == storage; });
}

bool isWrittenIn(Operation *around, Value storage) {
  return around
      ->walk([&](plan::LaunchOp launch) {
        return writes(launch, storage) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

bool isReady(Operation *op, Operation *point) {
  Operation *around = op->getBlock()->findAncestorOpInBlock(*point);
  return around && op->isBeforeInBlock(around);
}

bool isWrittenBetween(Value operand, Operation *from, Operation *to) {
  Value storage = plan::rootOf(operand);
  Operation *around = from->getBlock()->findAncestorOpInBlock(*to);
  for (Operation *op = from->getNextNode(); op && op != around; op = op->getNextNode())
    if (isWrittenIn(op, storage))
      return true;
  return around != to && isWrittenIn(around, storage);
}

bool isSameSource(const PanelSource &a, const PanelSource &b) {
  const std::optional<int64_t> start = startOf(a.operand);
  return plan::rootOf(a.operand) == plan::rootOf(b.operand) && start && start == startOf(b.operand);
}

bool eraseIfUnread(plan::StorageOp storage) {
  Touches touches;
  collect(storage.getResult(), touches);
  if (touches.isRead || touches.writers.size() != 1 || touches.writers.front().getOutputs().size() != 1)
    return false;
  touches.writers.front().erase();
  for (plan::ViewOp view : llvm::reverse(touches.views))
    view.erase();
  storage.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Sources of an operand
//===----------------------------------------------------------------------===//

namespace {

/// Returns the movement that a kernel computes. Returns `nullopt` for kernels that do more than move elements.
std::optional<Movement> movementOf(plan::KernelOp kernel) {
  if (!kernel || kernel.getNumInputs() != 1 || kernel.getEncodings() ||
      (kernel.getKind() != plan::KernelKind::Permute && kernel.getKind() != plan::KernelKind::Nest))
    return std::nullopt;
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form) || form->work.size() != 1 || form->written.size() != 1 || form->written.front().haloValue)
    return std::nullopt;
  const Work &work = form->work.front();
  if (!work.allParallel() || work.inputs.size() != 1 || work.inputs.front().source != Input::Source::Storage ||
      !work.inputs.front().access.padded.empty() ||
      work.body->getTerminator()->getOperand(0) != work.body->getArgument(0))
    return std::nullopt;
  const WrittenTensor &written = form->written.front();
  FailureOr<Access> target = composeAccess(written.slice, work.results.front().map, written.elementType);
  if (failed(target) || target->offset != 0)
    return std::nullopt;
  const Access &read = work.inputs.front().access;
  Movement movement{read.offset, {}};
  for (auto [size, from, to] : llvm::zip_equal(work.sizes, read.strides, target->strides))
    movement.loops.push_back({size, from, to});
  return movement;
}

/// Returns the source before the launch that writes `source`. Returns `nullopt` if that launch does more than move
/// elements, or reads memory that changes before the operand is read.
std::optional<PanelSource> oneBack(SymbolTable &symbols, plan::LaunchOp launch, const PanelSource &source) {
  auto storage = plan::rootOf(source.operand).getDefiningOp<plan::StorageOp>();
  const std::optional<int64_t> start = startOf(source.operand);
  if (!storage || storage.getRole() != plan::Role::Temporary || !start)
    return std::nullopt;
  Touches touches;
  collect(storage.getResult(), touches);
  if (touches.writers.size() != 1)
    return std::nullopt;
  plan::LaunchOp maker = touches.writers.front();
  if (maker.getInputs().size() != 1 || startOf(maker.getOutputs().front()) != 0 || !isReady(maker, launch))
    return std::nullopt;
  const std::optional<Movement> movement = movementOf(symbols.lookup<plan::KernelOp>(maker.getKernel()));
  Value operand = maker.getInputs().front();
  if (!movement || plan::rootOf(operand).getDefiningOp<plan::UseOp>() || !startOf(operand) ||
      isWrittenBetween(operand, maker, launch))
    return std::nullopt;
  StridedRead read = source.read;
  read.offset += *start;
  std::optional<StridedRead> through =
      readThrough(read, *movement, cast<MemRefType>(storage.getResult().getType()).getNumElements());
  if (!through || !mapOf(launch.getContext(), *through, cast<MemRefType>(operand.getType()).getShape()))
    return std::nullopt;
  PanelSource result{operand, *through, source.point, source.movedBy};
  result.movedBy.push_back(storage);
  return result;
}

int64_t iterationsOf(Operation *loop) {
  if (auto counted = dyn_cast<plan::ForOp>(loop))
    return counted.getTripCount();
  auto tested = dyn_cast<plan::WhileOp>(loop);
  return tested ? int64_t(tested.getBound().value_or(plan::kUnknownIterations)) : 1;
}

} // namespace

PanelSource findSource(SymbolTable &symbols, plan::LaunchOp launch, Value operand, const StridedRead &read) {
  PanelSource source{operand, read, launch};
  while (std::optional<PanelSource> further = oneBack(symbols, launch, source))
    source = std::move(*further);
  for (Operation *around = launch->getParentOp(); isa<plan::ForOp, plan::WhileOp>(around);
       around = around->getParentOp()) {
    if (!startOf(source.operand) || isWrittenIn(around, plan::rootOf(source.operand)))
      break;
    source.point = around;
  }
  return source;
}

int64_t iterationsBetween(Operation *point, Operation *launch) {
  int64_t iterations = 1;
  for (Operation *op = launch; op != point;) {
    op = op->getParentOp();
    iterations = std::min<int64_t>(iterations * iterationsOf(op), 1 << 20);
  }
  return iterations;
}

} // namespace nacre::encode
