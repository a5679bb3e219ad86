// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both branches of an `nn.if` write the memory of its results, and only one of them runs. LowerLoops.cpp lowers loops,
// except those that become one kernel (iterations/).

#include "compiler/kernels/entries/FormOperators.h"
#include "compiler/kernels/entries/LowerLoops.h"
#include "compiler/kernels/entries/RegionMemory.h"
#include "compiler/kernels/entries/Regions.h"
#include "compiler/kernels/iterations/LowerIterations.h"
#include "dialects/nn/NnDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::kernels {

static LogicalResult lowerIf(EntryBuilder &entry, nn::IfOp op) {
  RegionMemory memory(entry, op.getLoc());
  Value condition = entry.lookup(op.getCondition());
  if (!condition)
    return failure();
  SmallVector<Value> results;
  for (Value result : op.getResults())
    results.push_back(memory.allocate(result.getType()));
  auto branches = plan::IfOp::create(entry.getBuilder(), op.getLoc(), condition);
  auto lowerBranch = [&](Region &from, Region &into, ValueRange yielded) {
    OpBuilder::InsertionGuard guard(entry.getBuilder());
    entry.getBuilder().createBlock(&into);
    if (failed(formOperators(entry, from.front())))
      return failure();
    for (auto [value, result] : llvm::zip_equal(yielded, results))
      if (failed(memory.store(value, result)))
        return failure();
    return success();
  };
  if (failed(lowerBranch(op.getThenRegion(), branches.getThen(), op.getThenYield().getCarried())) ||
      failed(lowerBranch(op.getElseRegion(), branches.getOtherwise(), op.getElseYield().getCarried())))
    return failure();
  for (auto [host, result] : llvm::zip_equal(op.getResults(), results))
    entry.map(host, memory.load(result));
  return success();
}

/// Launches the kernel of a loop that planIterations() accepted.
static LogicalResult launchLoopKernel(EntryBuilder &entry, nn::ForOp loop) {
  std::optional<IterationPlan> iterations = planIterations(loop);
  if (!iterations)
    return loop.emitOpError("must have a plan of its iterations, because it was marked as one kernel");
  OperatorGroup group;
  group.anchor = loop;
  group.members.insert(loop);
  for (Value result : loop.getResults())
    if (!result.use_empty())
      group.results.push_back(result);
  if (group.results.empty())
    return success();
  group.result = group.results.front();
  ModulePlan &plan = entry.getPlan();
  KernelBody body(plan.getModule(), plan::KernelKind::Serial, plan.makeKernelName("recurrence"), group, loop.getLoc(),
                  /*collapseRows=*/false);
  if (failed(lowerIterations(body, loop, *iterations)))
    return failure();
  return entry.launch(body);
}

bool hasRegions(Operation *op) { return isa<nn::IfOp, nn::ForOp, nn::WhileOp>(op); }

LogicalResult lowerRegions(EntryBuilder &entry, Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](nn::IfOp branches) { return lowerIf(entry, branches); })
      .Case([&](nn::ForOp loop) { return isLoopKernel(loop) ? launchLoopKernel(entry, loop) : lowerFor(entry, loop); })
      .Case([&](nn::WhileOp loop) { return lowerWhile(entry, loop); });
}

} // namespace nacre::kernels
