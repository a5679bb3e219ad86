// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines branches and loops whose conditions are constant, and removes their unused values. A branch that is never
// taken must cost nothing. Unused carried values would be copied in every iteration.
//
// 1. Branches: a constant condition, results that are equal in both branches, unused results.
// 2. Loops without iterations.
// 3. Carried values that never change or are unused, and rows that are stacked or scanned twice.
// Inner operators are visited first. All steps repeat until nothing changes. Each change removes something, so this
// ends.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/Regions.h"

namespace nacre::graph {
#define GEN_PASS_DEF_RESOLVECONTROLPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

Value makeZeros(OpBuilder &builder, Location loc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return nn::ConstantOp::create(builder, loc,
                                DenseElementsAttr::get(tensor, builder.getZeroAttr(tensor.getElementType())));
}

/// True if both are the same value, or equal constants.
bool areEqual(Value a, Value b) {
  ElementsAttr constant = getConstant(a);
  return a == b || (constant && constant == getConstant(b));
}

/// Returns a copy of `value` that is available before `op`. `value` must be constant, or computed outside of `op`.
Value bringBefore(RewriterBase &rewriter, Value value, Operation *op) {
  if (isOutside(value, op))
    return value;
  return rewriter.clone(*value.getDefiningOp())->getResult(0);
}

//===----------------------------------------------------------------------===//
// 1. Branches
//===----------------------------------------------------------------------===//

bool resolve(RewriterBase &rewriter, nn::IfOp op) {
  if (std::optional<double> condition = getNumber(op.getCondition())) {
    Region &taken = *condition != 0 ? op.getThenRegion() : op.getElseRegion();
    rewriter.replaceOp(op, inlineBefore(rewriter, taken.front(), op, {}));
    return true;
  }
  for (auto [onTrue, onFalse, result] :
       llvm::zip_equal(op.getThenYield().getCarried(), op.getElseYield().getCarried(), op.getValues()))
    if (!result.use_empty() && areEqual(onTrue, onFalse))
      rewriter.replaceAllUsesWith(result, bringBefore(rewriter, onTrue, op));
  llvm::SmallBitVector kept(op.getNumResults());
  for (OpResult result : op.getValues())
    kept[result.getResultNumber()] = !result.use_empty();
  if (op.getNumResults() > 0 && kept.all())
    return false;
  dropResults(rewriter, op, kept);
  return true;
}

//===----------------------------------------------------------------------===//
// 2. Loops that never iterate
//===----------------------------------------------------------------------===//

bool neverIterates(nn::ForOp op) {
  std::optional<double> count = op.getCount() ? getNumber(op.getCount()) : std::nullopt;
  return op.getTripCount() == 0 || (count && *count <= 0);
}

bool neverIterates(nn::WhileOp op) {
  Value condition = op.getConditionOp().getCondition();
  auto argument = dyn_cast<BlockArgument>(condition);
  if (argument && argument.getOwner()->getParentOp() == op && argument.getArgNumber() > 0)
    condition = op.getInitial()[argument.getArgNumber() - 1];
  return op.getBound() == 0 || getNumber(condition) == 0;
}

void replaceByNothing(RewriterBase &rewriter, Operation *loop) {
  SmallVector<Value> values(getInitial(loop));
  for (Value result : loop->getResults().drop_front(values.size())) // empty stacks, and no trips
    values.push_back(makeZeros(rewriter, loop->getLoc(), result.getType()));
  rewriter.replaceOp(loop, values);
}

//===----------------------------------------------------------------------===//
// 3. Values of loops
//===----------------------------------------------------------------------===//

/// Replaces carried values that every iteration passes on unchanged.
void replaceUnchanged(RewriterBase &rewriter, Operation *loop) {
  for (auto [index, initial, next, final] :
       llvm::enumerate(getInitial(loop), getYield(loop).getCarried(), getFinals(loop))) {
    if (next != getBody(loop).getArgument(1 + index) && !areEqual(initial, next))
      continue;
    for (Region &region : loop->getRegions())
      rewriter.replaceAllUsesWith(region.getArgument(1 + index), initial);
    rewriter.replaceAllUsesWith(final, initial);
  }
}

/// Makes all readers of a row that is stacked or scanned several times use the first stack or row.
void replaceRepeated(RewriterBase &rewriter, Operation *loop) {
  llvm::SmallDenseMap<Value, Value> stackOf, rowOf;
  for (auto [row, stack] : llvm::zip_equal(getYield(loop).getStacked(), getStacks(loop)))
    if (auto [first, isNew] = stackOf.try_emplace(row, stack); !isNew)
      rewriter.replaceAllUsesWith(stack, first->second);
  if (auto counted = dyn_cast<nn::ForOp>(loop))
    for (auto [rows, row] : llvm::zip_equal(counted.getScanned(), counted.getScannedArguments()))
      if (auto [first, isNew] = rowOf.try_emplace(rows, row); !isNew)
        rewriter.replaceAllUsesWith(row, first->second);
}

/// Values of a loop that must stay: results with users, and operators on which these depend.
class LiveValues {
public:
  explicit LiveValues(Operation *loop) : loop(loop) {
    kept.carried.resize(getInitial(loop).size());
    kept.stacks.resize(getStacks(loop).size());
    if (auto counted = dyn_cast<nn::ForOp>(loop))
      kept.scanned.resize(counted.getScanned().size());
    if (auto asked = dyn_cast<nn::WhileOp>(loop))
      worklist.push_back(asked.getConditionOp().getCondition());
    for (auto [index, final] : llvm::enumerate(getFinals(loop)))
      if (!final.use_empty())
        keepCarried(index);
    for (auto [index, stack] : llvm::enumerate(getStacks(loop)))
      if (!stack.use_empty()) {
        kept.stacks.set(index);
        worklist.push_back(getYield(loop).getStacked()[index]);
      }
    while (!worklist.empty())
      visit(worklist.pop_back_val());
  }

  const KeptValues &get() const { return kept; }
  bool areAll() const { return kept.carried.all() && kept.stacks.all() && kept.scanned.all(); }

private:
  void keepCarried(unsigned index) {
    if (kept.carried[index])
      return;
    kept.carried.set(index);
    worklist.push_back(getYield(loop).getCarried()[index]);
  }

  void visit(Value value) {
    if (isOutside(value, loop))
      return;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument) {
      if (!visited.insert(value.getDefiningOp()).second)
        return;
      value.getDefiningOp()->walk([&](Operation *op) { llvm::append_range(worklist, op->getOperands()); });
      return;
    }
    if (argument.getOwner()->getParentOp() != loop || argument.getArgNumber() == 0)
      return;
    unsigned index = argument.getArgNumber() - 1;
    if (index < kept.carried.size())
      keepCarried(index);
    else
      kept.scanned.set(index - kept.carried.size());
  }

  Operation *loop;
  KeptValues kept;
  SmallVector<Value> worklist;
  SmallPtrSet<Operation *, 16> visited;
};

bool resolveLoop(RewriterBase &rewriter, Operation *loop) {
  auto counted = dyn_cast<nn::ForOp>(loop);
  if (counted ? neverIterates(counted) : neverIterates(cast<nn::WhileOp>(loop))) {
    replaceByNothing(rewriter, loop);
    return true;
  }
  if (isOpTriviallyDead(loop)) {
    rewriter.eraseOp(loop);
    return true;
  }
  if (std::optional<double> count = counted && counted.getCount() ? getNumber(counted.getCount()) : std::nullopt;
      count && *count >= double(counted.getTripCount()))
    rewriter.modifyOpInPlace(counted, [&] { counted.getCountMutable().clear(); });
  replaceUnchanged(rewriter, loop);
  replaceRepeated(rewriter, loop);
  LiveValues live(loop);
  if (live.areAll())
    return false;
  dropValues(rewriter, loop, live.get());
  return true;
}

struct ResolveControl : impl::ResolveControlPassBase<ResolveControl> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (bool changed = true; changed;) {
      changed = false;
      for (Operation *op : findControl(getOperation())) {
        rewriter.setInsertionPoint(op);
        auto branch = dyn_cast<nn::IfOp>(op);
        changed |= branch ? resolve(rewriter, branch) : resolveLoop(rewriter, op);
      }
    }
  }
};

} // namespace

} // namespace nacre::graph
