// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes gradients of operators with regions.
//
// The gradient of a branch is a branch with the same condition. The gradient of a loop is a second loop, whose
// iterations go from the last to the first.
// How: the backward pass recomputes the values of a region in the iteration that needs them. The forward loop stacks
//      the values carried into each iteration. It also stacks the results of products, because computing them takes
//      longer than reading them. The backward loop carries the gradients of carried values, and the sums of the
//      gradients of values from outside. It stacks the gradients of scanned rows. A sum over all iterations of products
//      of two rows becomes one product after the loop, with one step of depth per iteration.

#include "compiler/train/rules/GradientRules.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nacre::train {

namespace {

/// Clones the operators of `block`, with `arguments` instead of its arguments. Returns the operands of its terminator.
SmallVector<Value> computeAnew(OpBuilder &builder, Block &block, ValueRange arguments, IRMapping &mapping) {
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Returns the active values from outside that the regions of `op` read.
SmallVector<Value> readFromAround(Operation *op, const ActiveValues &active) {
  llvm::SetVector<Value> values;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (active.contains(operand) && !op->isAncestor(operand.getParentBlock()->getParentOp()))
          values.insert(operand);
    });
  return values.takeVector();
}

Type counterType(OpBuilder &builder) { return RankedTensorType::get({}, builder.getI64Type()); }

RankedTensorType stackOf(int64_t iterations, Value row) {
  Ints shape{iterations};
  llvm::append_range(shape, shapeOf(row));
  return typeOf(row).clone(shape);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns the values that are stacked instead of recomputed: results of products, or the sum if an addition follows.
SmallVector<Value> costlyValues(Block &block) {
  SmallVector<Value> values;
  for (Operation &op : block) {
    if (!isa<nn::MatMulOp, nn::ConvOp, nn::ConvTransposeOp>(op))
      continue;
    Value value = op.getResult(0);
    for (nn::BinaryOp sum; value.hasOneUse(); value = sum) {
      sum = dyn_cast<nn::BinaryOp>(*value.user_begin());
      if (!sum || sum.getKind() != nn::BinaryKind::Add || sum->getBlock() != &block || sum.getType() != value.getType())
        break;
    }
    if (!llvm::is_contained(values, value))
      values.push_back(value);
  }
  return values;
}

/// Gradient of a value from outside, if each iteration computes it as a product of two rows. The left row is
/// transposed.
struct LateProduct {
  size_t number = 0; ///< Index of the value.
  Value left, right;
};

/// Loop of the backward pass.
class ReversedLoop {
public:
  ReversedLoop(nn::ForOp op, Adjoint &at)
      : op(op), at(at), builder(at.write.getBuilder()), around(readFromAround(op, at.walk.getActive())) {
    for (auto [index, argument] : llvm::enumerate(op.getCarriedArguments()))
      if (at.wants(argument))
        carried.push_back(index);
    for (auto [index, argument] : llvm::enumerate(op.getScannedArguments()))
      if (at.wants(argument))
        scanned.push_back(index);
    for (auto [index, stack] : llvm::enumerate(op.getStacks()))
      if (at.wants(stack))
        stacks.push_back(index);
  }

  LogicalResult run() {
    keepCarried();
    SmallVector<Value> initial;
    for (size_t index : carried)
      initial.push_back(at.walk.lookupOrZeros(op.getFinals()[index]));
    for (Value value : around)
      initial.push_back(at.write.zeros(typeOf(value)));
    SmallVector<Value> rows(kept);
    llvm::append_range(rows, op.getScanned());
    for (size_t index : stacks)
      rows.push_back(at.walk.lookupOrZeros(op.getStacks()[index]));
    SmallVector<Type> results = llvm::to_vector(ValueRange(initial).getTypes());
    for (size_t index : scanned)
      results.push_back(op.getScanned()[index].getType());
    auto back =
        nn::ForOp::create(builder, op.getLoc(), results, op.getTripCount(), Value(), initial, rows, !op.getReverse());
    if (failed(fillBody(back)))
      return failure();
    const size_t before = back.getStacks().size();
    back = withStacksOfLate(back);
    give(back, before);
    return success();
  }

private:
  /// Makes the forward loop stack the values carried into each iteration, and the values that are not recomputed.
  void keepCarried() {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    costly = costlyValues(op.getBody().front());
    SmallVector<Type> types(op.getResultTypes());
    for (Value argument : op.getCarriedArguments())
      types.push_back(stackOf(op.getTripCount(), argument));
    for (Value value : costly)
      types.push_back(stackOf(op.getTripCount(), value));
    auto wide = nn::ForOp::create(builder, op.getLoc(), types, op.getTripCount(), op.getCount(), op.getInitial(),
                                  op.getScanned(), op.getReverse());
    const unsigned before = op.getNumResults();
    nn::YieldOp yield = op.getYield();
    yield.getStackedMutable().append(op.getCarriedArguments());
    yield.getStackedMutable().append(costly);
    wide.getBody().takeBody(op.getBody());
    for (auto [from, to] : llvm::zip(op.getResults(), wide.getResults()))
      at.walk.replace(from, to);
    op->replaceAllUsesWith(wide.getResults().take_front(before));
    op.erase();
    op = wide;
    llvm::append_range(kept, wide.getResults().drop_front(before));
  }

  LogicalResult fillBody(nn::ForOp back) {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&back.getBody());
    body->addArgument(counterType(builder), op.getLoc());
    for (Value value : back.getInitial())
      body->addArgument(value.getType(), op.getLoc());
    for (Value rows : back.getScanned())
      body->addArgument(typeOf(rows).clone(shapeOf(rows).drop_front()), op.getLoc());
    auto gradients = back.getCarriedArguments();
    auto rows = back.getScannedArguments();
    const size_t numCarried = op.getInitial().size(), numKept = kept.size(), numScanned = op.getScanned().size();

    // Index of the forward iteration that this iteration differentiates.
    Value last = at.write.integers({}, builder.getI64Type(), {op.getTripCount() - 1});
    SmallVector<Value> arguments{at.write.sub(last, back.getCounter())};
    llvm::append_range(arguments, rows.take_front(numCarried));
    llvm::append_range(arguments, rows.slice(numKept, numScanned));
    ActiveValues &active = at.walk.getActive();
    for (size_t index : carried)
      active.insert(arguments[1 + index]);
    for (size_t index : scanned)
      active.insert(arguments[1 + numCarried + index]);
    IRMapping mapping;
    SmallVector<Value> handed = computeAnew(builder, op.getBody().front(), arguments, mapping);
    builder.setInsertionPointToEnd(body);
    active.follow(*body);

    ReverseWalk walk(builder, active, at.walk.getCuts());
    for (auto [number, index] : llvm::enumerate(carried))
      walk.give(handed[index], gradients[number]);
    for (auto [number, index] : llvm::enumerate(stacks))
      walk.give(handed[numCarried + index], rows[numKept + numScanned + number]);
    if (failed(walk.run(*body)))
      return failure();
    // The rules for these operators have already run. The other operators can now read the stacked results.
    for (auto [value, row] : llvm::zip_equal(costly, rows.slice(numCarried, costly.size())))
      mapping.lookup(value).replaceAllUsesWith(row);
    SmallVector<Value> next, stacked;
    for (size_t index : carried)
      next.push_back(walk.lookupOrZeros(arguments[1 + index]));
    for (auto [number, value] : llvm::enumerate(around)) {
      Value sum = gradients[carried.size() + number], more = walk.lookup(value);
      if (std::optional<LateProduct> product = asLate(number, more, *body))
        late.push_back(*product);
      else
        next.push_back(more ? at.write.add(sum, more) : sum);
    }
    for (size_t index : scanned)
      stacked.push_back(walk.lookupOrZeros(arguments[1 + numCarried + index]));
    nn::YieldOp::create(builder, op.getLoc(), next, stacked);
    return success();
  }

  /// Returns the factors of `gradient`, if it is a product in `body` that can move after the loop. It is the gradient
  /// of the value with index `number`.
  std::optional<LateProduct> asLate(size_t number, Value gradient, Block &body) {
    auto product = gradient ? gradient.getDefiningOp<nn::MatMulOp>() : nn::MatMulOp();
    if (!product || product->getBlock() != &body || rankOf(product.getLhs()) != 2 || rankOf(product.getRhs()) != 2)
      return std::nullopt;
    auto turned = product.getLhs().getDefiningOp<nn::TransposeOp>();
    Value left = turned && turned->getBlock() == &body ? turned.getOperand() : at.write.transposeLast(product.getLhs());
    return LateProduct{number, left, product.getRhs()};
  }

  /// Returns `back` without the sums of late products. Instead, it stacks their operands, except those that it already
  /// scans.
  nn::ForOp withStacksOfLate(nn::ForOp back) {
    if (late.empty())
      return back;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(back);
    SmallVector<Value> initial;
    llvm::BitVector gone(back.getBody().getNumArguments());
    auto isLate = [&](size_t index) {
      return index >= carried.size() &&
             llvm::any_of(late, [&](const LateProduct &product) { return product.number == index - carried.size(); });
    };
    for (auto [index, value] : llvm::enumerate(back.getInitial()))
      if (isLate(index))
        gone.set(1 + index);
      else
        initial.push_back(value);
    nn::YieldOp yield = back.getYield();
    for (LateProduct &product : late)
      for (Value row : {product.left, product.right})
        if (!llvm::is_contained(back.getScannedArguments(), row))
          yield.getStackedMutable().append(row);
    SmallVector<Type> types = llvm::to_vector(ValueRange(initial).getTypes());
    for (Value row : yield.getStacked())
      types.push_back(stackOf(op.getTripCount(), row));
    auto lean = nn::ForOp::create(builder, back.getLoc(), types, back.getTripCount(), Value(), initial,
                                  back.getScanned(), back.getReverse());
    lean.getBody().takeBody(back.getBody());
    lean.getBody().front().eraseArguments(gone);
    back.erase();
    return lean;
  }

  /// Adds the results of `back` to the gradients of the values that the loop reads. The first `numStacks` stacks of
  /// `back` are such gradients. The others are operands of late products, which are multiplied here.
  void give(nn::ForOp back, size_t numStacks) {
    for (auto [number, index] : llvm::enumerate(carried))
      at.give(op.getInitial()[index], back.getFinals()[number]);
    size_t next = carried.size();
    for (auto [number, value] : llvm::enumerate(around))
      if (llvm::none_of(late, [number = number](const LateProduct &product) { return product.number == number; }))
        at.give(value, back.getFinals()[next++]);
    for (auto [number, index] : llvm::enumerate(scanned))
      at.give(op.getScanned()[index], back.getStacks()[number]);
    for (const LateProduct &product : late) {
      auto allRows = [&](Value row) {
        auto arguments = back.getScannedArguments();
        auto found = llvm::find(arguments, row);
        Value all = found != arguments.end() ? back.getScanned()[found - arguments.begin()]
                                             : Value(back.getStacks()[numStacks++]);
        return at.write.reshape(all, {shapeOf(all)[0] * shapeOf(all)[1], shapeOf(all)[2]});
      };
      Value left = allRows(product.left), right = allRows(product.right);
      at.give(around[product.number], at.write.matmul(at.write.transposeLast(left), right));
    }
  }

  nn::ForOp op;
  Adjoint &at;
  OpBuilder &builder;
  SmallVector<Value> around, kept, costly;
  SmallVector<LateProduct> late;
  SmallVector<size_t> carried, scanned, stacks; ///< Indices of the active values.
};

} // namespace

LogicalResult reverseFor(nn::ForOp op, Adjoint &at) {
  if (op.getCount())
    return at.refuse("a loop that counts its iterations at run time");
  return ReversedLoop(op, at).run();
}

LogicalResult reverseWhile(nn::WhileOp, Adjoint &at) { return at.refuse("a loop with a computed end condition"); }

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

LogicalResult reverseIf(nn::IfOp op, Adjoint &at) {
  OpBuilder &builder = at.write.getBuilder();
  SmallVector<Value> around = readFromAround(op, at.walk.getActive());
  auto back = nn::IfOp::create(builder, op.getLoc(), ValueRange(around).getTypes(), op.getCondition());
  SmallVector<Value> gradients;
  for (Value result : op.getValues())
    gradients.push_back(at.wants(result) ? at.walk.lookupOrZeros(result) : Value());
  for (auto [from, to] : llvm::zip(op->getRegions(), back->getRegions())) {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&to);
    IRMapping mapping;
    SmallVector<Value> handed = computeAnew(builder, from.front(), {}, mapping);
    ActiveValues &active = at.walk.getActive();
    active.follow(*body);
    ReverseWalk walk(builder, active, at.walk.getCuts());
    for (auto [value, gradient] : llvm::zip(handed, gradients))
      walk.give(value, gradient);
    if (failed(walk.run(*body)))
      return failure();
    SmallVector<Value> next = llvm::map_to_vector(around, [&](Value value) { return walk.lookupOrZeros(value); });
    nn::YieldOp::create(builder, op.getLoc(), next, ValueRange());
  }
  for (auto [value, gradient] : llvm::zip(around, back.getValues()))
    at.give(value, gradient);
  return success();
}

/// Reports an error, because recurrent layers must become loops before they are differentiated.
LogicalResult reverseRecurrent(nn::RecurrentOp, Adjoint &at) { return at.refuse("a fused recurrent layer"); }

} // namespace nacre::train
