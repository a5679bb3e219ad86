// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputes values, or computes them in each iteration of a loop, if an entry exceeds its memory cap.
// Why: Recomputation.h explains the purpose and chooses the values.
// How: 1. turn an entry into a program with prices;
//      2. copy launches, add new storages, and change the readers that follow.

#include "codegen/TargetOptions.h"
#include "compiler/price/LaunchPrice.h"
#include "compiler/schedule/Lifetimes.h"
#include "compiler/schedule/Passes.h"
#include "compiler/schedule/Recomputation.h"

#include "dialects/StoredBytes.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::schedule {
#define GEN_PASS_DEF_RECOMPUTEVALUESPASS
#include "compiler/schedule/Passes.h.inc"
} // namespace nacre::schedule

using namespace mlir;

namespace nacre::schedule {
namespace {

class EntryRecomputer {
public:
  EntryRecomputer(plan::EntryOp entry, SymbolTable &symbols, const codegen::MachineModel &machine)
      : entry(entry), program(readProgram(entry)), symbols(symbols), machine(machine) {}

  void fit(int64_t mostBytes, int64_t alignment) {
    const RecomputationPlan plan = planRecomputation(price(), mostBytes, alignment);
    if (plan.changes.empty())
      return;
    // Move storages to the front in their order, before all possible readers.
    Block &block = entry.getBody().front();
    for (plan::StorageOp storage : llvm::reverse(program.storages))
      storage->moveBefore(&block, block.begin());
    double nanoseconds = 0;
    for (const Recomputation &change : plan.changes) {
      apply(change);
      nanoseconds += change.nanoseconds;
    }
    entry->setAttr(plan::kAgainNanoseconds, Builder(entry).getI64IntegerAttr(int64_t(nanoseconds)));
  }

  unsigned numAgain = 0, numMoved = 0;

private:
  //===--------------------------------------------------------------------===//
  // 1. Prices
  //===--------------------------------------------------------------------===//

  PricedProgram price() const {
    PricedProgram priced{program.steps, {}, {}};
    for (plan::StorageOp storage : program.storages)
      priced.bytes.push_back(storage.getRole() == plan::Role::Temporary
                                 ? storedBytes(cast<ShapedType>(storage.getResult().getType()))
                                 : 0);
    for (Operation *op : program.operations) {
      StepPrice &step = priced.prices.emplace_back();
      if (auto launch = dyn_cast<plan::LaunchOp>(op))
        step.nanoseconds = price::priceOf(launch, symbols.lookup<plan::KernelOp>(launch.getKernel()), machine);
      else if (isa<plan::ForOp, plan::WhileOp, plan::IfOp>(op))
        step.iterations = plan::expectIterations(op);
      step.isDecided = plan::isDecidedByRun(op);
    }
    return priced;
  }

  //===--------------------------------------------------------------------===//
  // 2. Changes
  //===--------------------------------------------------------------------===//

  void apply(const Recomputation &change) {
    Operation *before = program.operations[change.before];
    if (change.moves) {
      program.operations[change.launches.front().step]->moveBefore(before);
      ++numMoved;
      return;
    }
    for (unsigned like : change.added)
      addStorage(program.storages[like]);
    OpBuilder builder(before);
    for (const Recomputation::Launch &launch : change.launches) {
      Operation *again = builder.clone(*program.operations[launch.step]);
      again->setLoc(nameAgain(again->getLoc()));
      for (OpOperand &operand : again->getOpOperands())
        for (auto [from, to] : launch.storages)
          if (replaceRoot(operand, program.storages[from], program.storages[to]))
            break;
      program.operations.push_back(again);
      ++numAgain;
    }
    for (Operation *step = before; step; step = step->getNextNode())
      step->walk([&](Operation *reader) {
        if (!isa<plan::ViewOp>(reader))
          for (OpOperand &operand : reader->getOpOperands())
            replaceRoot(operand, program.storages[change.kept], program.storages[change.again]);
      });
  }

  void addStorage(plan::StorageOp like) {
    OpBuilder builder(like->getContext());
    builder.setInsertionPointAfter(program.storages.back());
    program.storages.push_back(cast<plan::StorageOp>(builder.clone(*like)));
  }

  /// Replaces the root storage of `operand` by `to` if it is `from`. Returns true if it was replaced.
  static bool replaceRoot(OpOperand &operand, plan::StorageOp from, plan::StorageOp to) {
    SmallVector<plan::ViewOp> views;
    Value root = operand.get();
    for (; auto view = root.getDefiningOp<plan::ViewOp>(); root = view.getSource())
      views.push_back(view);
    if (root != from.getResult())
      return false;
    OpBuilder builder(operand.getOwner());
    Value value = to.getResult();
    for (plan::ViewOp view : llvm::reverse(views)) {
      IRMapping sources;
      sources.map(view.getSource(), value);
      value = builder.clone(*view, sources)->getResult(0);
    }
    operand.set(value);
    for (plan::ViewOp view : views)
      if (view->use_empty())
        view->erase();
    return true;
  }

  /// Returns the location of a launch that is repeated: the names of its nodes, with "again".
  static Location nameAgain(Location loc) {
    constexpr llvm::StringLiteral again = " again";
    if (auto named = dyn_cast<NameLoc>(loc); named && !named.getName().getValue().ends_with(again))
      return NameLoc::get(StringAttr::get(loc.getContext(), named.getName().getValue() + again), named.getChildLoc());
    if (auto fused = dyn_cast<FusedLoc>(loc))
      return FusedLoc::get(loc.getContext(), llvm::map_to_vector(fused.getLocations(), nameAgain));
    return loc;
  }

  plan::EntryOp entry;
  EntryProgram program;
  SymbolTable &symbols;
  const codegen::MachineModel &machine;
};

struct RecomputeValues : impl::RecomputeValuesPassBase<RecomputeValues> {
  using RecomputeValuesPassBase::RecomputeValuesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (alignment > 0 && llvm::isPowerOf2_64(alignment))
      return success();
    return emitError(UnknownLoc::get(context))
           << "nacre-recompute-values: alignment must be a power of two, but is " << alignment.getValue();
  }

  void runOnOperation() override {
    FailureOr<SmallVector<codegen::Target, 1>> targets = codegen::readTargetOptions(getOperation(), target, cpu);
    if (failed(targets))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<plan::EntryOp>()) {
      EntryRecomputer recomputer(entry, symbols, targets->front().model);
      recomputer.fit(mostBytes - portBytes(entry), alignment);
      numAgain += recomputer.numAgain;
      numMoved += recomputer.numMoved;
    }
  }
};

} // namespace
} // namespace nacre::schedule
