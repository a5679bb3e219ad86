// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raised loops (RaisedView.h), which have the operator LoopCond.
//
// How:  1. the number of iterations, if counters determine it,
//       2. unrolled, if the condition is known in each iteration. Arrays are then lists of rows,
//       3. as a loop of `nn`, which carries only tensors. A trial iteration yields the type of an array's rows,
//       4. lists that grow or shrink by a row in each iteration become the loop's stacks and scanned operands. If the
//          number of iterations is only known at run time, each iteration reads its row from the end of the array.

#include "compiler/import/control/NodeGraphs.h"
#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/tensorflow/arrays/CarriedStacks.h"
#include "compiler/import/tensorflow/arrays/Rows.h"
#include "compiler/import/tensorflow/control/ControlGraph.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

#include "dialects/PrintableText.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/control/Iterations.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Counts
//===----------------------------------------------------------------------===//

struct LoopNode {
  const NodeGraph *condition, *body;
  SmallVector<Value> initial;
  std::optional<int64_t> most;  ///< largest number of iterations, according to counters with known limits
  std::optional<int64_t> limit; ///< like `most`, but also with limits of which only an upper bound is known
  bool isCounted = false;       ///< true if `most` is the exact number
};

/// Returns the value of the operand `index` if it is a constant with one element; otherwise nullopt.
std::optional<double> findNumber(OperandBinder &node, size_t index) {
  ElementsAttr constant = getConstant(node.getOperand(index));
  if (!constant || constant.getNumElements() != 1)
    return std::nullopt;
  return node.getNumber(index);
}

nn::BinaryKind getKind(LoopCount::Comparison comparison) {
  switch (comparison) {
  case LoopCount::Comparison::Less:
    return nn::BinaryKind::Less;
  case LoopCount::Comparison::LessEqual:
    return nn::BinaryKind::LessEqual;
  case LoopCount::Comparison::Greater:
    return nn::BinaryKind::Greater;
  case LoopCount::Comparison::GreaterEqual:
    return nn::BinaryKind::GreaterEqual;
  }
  llvm_unreachable("all comparisons are above");
}

/// Returns a number that no element of `value` exceeds, or nullopt if none is known. The bound of a minimum is the
/// smaller bound of its two operands. At most `depth` nested operators are considered, because nested minima of one
/// value would take exponential time.
std::optional<double> findUpperBound(Value value, unsigned depth = 8) {
  if (ElementsAttr constant = isTensor(value) ? getConstant(value) : ElementsAttr();
      constant && isa<IntegerType>(constant.getElementType()) && constant.getNumElements() == 1) {
    FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
    return succeeded(view) ? std::optional(double(view->readIntegers().front())) : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  if (depth == 0)
    return std::nullopt;
  if (op && isa<nn::ReshapeOp, nn::BroadcastOp>(op))
    return findUpperBound(op->getOperand(0), depth - 1);
  auto minimum = dyn_cast_or_null<nn::BinaryOp>(op);
  if (!minimum || minimum.getKind() != nn::BinaryKind::Min)
    return std::nullopt;
  std::optional<double> left = findUpperBound(minimum.getLhs(), depth - 1);
  std::optional<double> right = findUpperBound(minimum.getRhs(), depth - 1);
  return left && right ? std::min(*left, *right) : left ? left : right;
}

/// Reads the loop. The operands after the carried values are the limit and the step of each count.
FailureOr<LoopNode> readLoop(OperandBinder &node) {
  LoopNode loop{node.getGraph("condition"), node.getGraph("body"), {}, std::nullopt, std::nullopt};
  auto numCarried = static_cast<size_t>(node.getInt("carried", 0));
  SmallVector<int64_t> counts = node.getInts("counts");
  loop.isCounted = node.getFlag("is_counted", false);
  if (!loop.condition || !loop.body)
    return failure();
  loop.initial.assign(node.getOperands().begin(), node.getOperands().begin() + numCarried);
  for (size_t count = 0; count < counts.size() / 3; ++count) {
    ArrayRef<int64_t> facts = ArrayRef(counts).slice(3 * count, 3);
    std::optional<double> start = findNumber(node, facts[0]), limit = findNumber(node, numCarried + 2 * count),
                          step = findNumber(node, numCarried + 2 * count + 1);
    const auto comparison = static_cast<LoopCount::Comparison>(facts[1]);
    const bool isUpper = comparison == LoopCount::Comparison::Less || comparison == LoopCount::Comparison::LessEqual;
    const bool isKnown = limit.has_value();
    if (!isKnown && isUpper)
      limit = findUpperBound(node.getOperand(numCarried + 2 * count));
    std::optional<int64_t> iterations;
    if (start && limit && step)
      iterations = nn::countIterations(getElementType(node.getOperand(facts[0])), *start, facts[2] ? -*step : *step,
                                       getKind(comparison), *limit);
    loop.isCounted &= isKnown && iterations;
    if (iterations)
      loop.limit = std::min(loop.limit.value_or(*iterations), *iterations);
    if (isKnown && iterations)
      loop.most = std::min(loop.most.value_or(*iterations), *iterations);
  }
  loop.isCounted &= loop.most.has_value();
  return loop;
}

//===----------------------------------------------------------------------===//
// 2. Unrolled
//===----------------------------------------------------------------------===//

void importUnrolled(OperandBinder &node, const LoopNode &loop) {
  importUnrolled(node, *loop.condition, *loop.body, loop.initial, loop.isCounted ? loop.most : std::nullopt);
}

//===----------------------------------------------------------------------===//
// 3. As a loop
//===----------------------------------------------------------------------===//

/// Returns the loop's initial values, in which arrays other than stacks are tensors. Fails after an error. A trial
/// iteration, whose results are not used, yields the types of written rows.
FailureOr<SmallVector<Value>> joinArrays(OperandBinder &node, const LoopNode &loop, ArrayRef<CarriedStack> stacks) {
  SmallVector<Value> initial = loop.initial;
  auto isArray = [&](size_t index) {
    return stacks[index].use == CarriedStack::Use::None && getList(initial[index]).has_value();
  };
  if (llvm::none_of(llvm::seq(initial.size()), isArray))
    return initial;
  FailureOr<SmallVector<Value>> next = node.expand(*loop.body, initial);
  if (failed(next))
    return failure();
  for (auto [index, value, behind] : llvm::enumerate(initial, *next)) {
    if (!isArray(index))
      continue;
    if (isTensor(behind) || getList(behind))
      value = joinRows(node, value, templateOf(node, behind));
    if (!value || !isTensor(value))
      return failure();
  }
  return initial;
}

bool isStack(const CarriedStack &stack) { return stack.use != CarriedStack::Use::None; }

class StackedLoop {
public:
  StackedLoop(OperandBinder &node, const LoopNode &loop)
      : node(node), nn(node.nn), loop(loop), stacks(findCarriedStacks(loop.condition->view, loop.body->view)) {}

  LogicalResult import();

private:
  using Use = CarriedStack::Use;

  LogicalResult begin();
  LogicalResult checkBound();
  FailureOr<Iteration> compute(Value number, ArrayRef<Value> carried, ArrayRef<Value> rows);
  FailureOr<SmallVector<Value>> putTogether(Value number, ArrayRef<Value> carried, ArrayRef<Value> rows);
  void settleCounters(MutableArrayRef<Value> finals);
  LogicalResult finish(const LoopResults &results);

  OperandBinder &node;
  NnBuilder &nn;
  const LoopNode &loop;
  const std::vector<CarriedStack> stacks;
  SmallVector<Value> initial;
  Loop built;
  SmallVector<TakenStack> taken; ///< rows of stacks that shrink
  SmallVector<StackRows> pushed; ///< rows of stacks that grow
};

//===----------------------------------------------------------------------===//
// 4. Stacks
//===----------------------------------------------------------------------===//

/// Reports an error if there are lists that grow or shrink, but the number of iterations has no limit.
LogicalResult StackedLoop::checkBound() {
  const auto stack = llvm::find_if(stacks, isStack);
  if (stack == stacks.end() || built.bound)
    return success();
  return node.error() << "the number of iterations must have a limit that is known at compile time, because '"
                      << toPrintable(stack->node)
                      << (stack->use == Use::Grows ? "' pushes a value to a stack in each"
                                                   : "' takes a value of a stack in each")
                      << "; fix the input that decides it with --set, or export the loop with maximum_iterations";
}

LogicalResult StackedLoop::begin() {
  FailureOr<SmallVector<Value>> joined = joinArrays(node, loop, stacks);
  if (failed(joined))
    return failure();
  initial = std::move(*joined);
  built.bound = llvm::any_of(stacks, isStack) ? loop.limit : loop.most;
  built.reverse =
      loop.isCounted && llvm::none_of(stacks, [](const CarriedStack &stack) { return stack.use == Use::Grows; });
  for (auto [value, stack] : llvm::zip_equal(initial, stacks)) {
    if (stack.use == Use::None)
      built.initial.push_back(value);
    if (stack.use != Use::Shrinks)
      continue;
    FailureOr<TakenStack> found = loop.isCounted
                                      ? takeStack(node, value, *loop.most, /*isReversed=*/!built.reverse, stack.node)
                                      : takeOpenStack(node, value);
    if (failed(found))
      return failure();
    taken.push_back(*found);
    if (loop.isCounted && !found->taken.areKnown())
      built.scanned.push_back(found->taken.rows);
    if (loop.isCounted || found->taken.same)
      continue;
    built.bound = std::min(built.bound.value_or(INT64_MAX), countRows(found->taken.rows));
    built.count = built.count && built.count != found->count ? nn.binary(nn::BinaryKind::Min, built.count, found->count)
                                                             : found->count;
  }
  built.reverse &= !built.scanned.empty();
  return checkBound();
}

/// Returns all arguments of the condition or the body, in order. A stack is an empty list; in the body, a stack that
/// shrinks is a list with the row to take.
FailureOr<SmallVector<Value>> StackedLoop::putTogether(Value number, ArrayRef<Value> carried, ArrayRef<Value> rows) {
  SmallVector<Value> values;
  ArrayRef<TakenStack> shrinking = taken;
  for (const CarriedStack &stack : stacks) {
    if (stack.use == Use::None) {
      values.push_back(carried.consume_front());
    } else if (stack.use == Use::Shrinks && number) {
      Value row = shrinking.consume_front().find(nn, number);
      values.push_back(nn.list({row ? row : rows.consume_front()}));
    } else {
      values.push_back(nn.list({}));
    }
    if (!values.back())
      return failure();
  }
  return values;
}

FailureOr<Iteration> StackedLoop::compute(Value number, ArrayRef<Value> carried, ArrayRef<Value> rows) {
  FailureOr<SmallVector<Value>> given = putTogether(number, carried, rows);
  FailureOr<SmallVector<Value>> values = failed(given) ? given : node.expand(*loop.body, *given);
  if (failed(values))
    return failure();
  Iteration iteration;
  for (auto [value, stack] : llvm::zip_equal(*values, stacks))
    if (stack.use == Use::None)
      iteration.carried.push_back(getList(value) ? joinRows(node, value, nn.nothing()) : value);
  for (auto [value, stack] : llvm::zip_equal(*values, stacks)) {
    if (stack.use != Use::Grows)
      continue;
    Value row = getList(value)->front();
    if (isTensor(row) && nn.isOpen(row))
      return node.error() << "the loop inside must have a number of iterations that is known at compile time, because '"
                          << toPrintable(stack.node)
                          << "' pushes a value of each to a stack; fix the input that decides it with --set";
    FailureOr<StackRows> known = StackRows();
    if (loop.isCounted)
      known = findPushed(node, row, number.getParentBlock(), built.initial, carried, iteration.carried);
    else
      known->rows = joinRows(node, row, nn.nothing()); // stored as a tensor, because the loop's stacked results have
                                                       // the number of rows
    if (failed(known) || (!known->areKnown() && !known->rows))
      return failure();
    pushed.push_back(*known);
    if (!known->areKnown())
      iteration.rows.push_back(known->rows);
  }
  return iteration;
}

/// Replaces the final values of counters by constants if the number of iterations is known. The gradient's loop starts
/// with such a value.
void StackedLoop::settleCounters(MutableArrayRef<Value> finals) {
  if (!loop.isCounted)
    return;
  for (auto [index, start, last] : llvm::enumerate(built.initial, finals)) {
    auto op = last.getDefiningOp<nn::ForOp>();
    if (!op)
      continue;
    Block &body = op.getBody().front();
    Value next = cast<nn::YieldOp>(body.getTerminator()).getCarried()[index];
    if (std::optional<StackRows::Numbers> counter = findCounter(start, body.getArgument(unsigned(index) + 1), next))
      last = nn.cast(nn.reshape(nn.integers(counter->first + counter->step * *built.bound), {}), counter->element);
  }
}

LogicalResult StackedLoop::finish(const LoopResults &results) {
  if (llvm::any_of(stacks, isStack))
    settleCounters(results.finals);
  ArrayRef<Value> finals = results.finals, grown = results.stacks;
  ArrayRef<TakenStack> left = taken;
  MutableArrayRef<StackRows> added = pushed;
  for (auto [index, stack] : llvm::enumerate(stacks)) {
    Value value;
    if (stack.use == Use::None) {
      value = finals.consume_front();
    } else if (stack.use == Use::Shrinks) {
      value = left.consume_front().rest;
    } else {
      StackRows &rows = added.consume_front();
      if (!rows.areKnown())
        rows.rows = grown.consume_front();
      value = growStack(node, initial[index], rows, *built.bound);
    }
    if (!value)
      return failure();
    node.setResult(index, value);
  }
  return success();
}

LogicalResult StackedLoop::import() {
  if (failed(begin()))
    return failure();
  auto body = [&](Value number, ArrayRef<Value> carried, ArrayRef<Value> rows) {
    return compute(number, carried, rows);
  };
  auto goesOn = [&](Value, ArrayRef<Value> carried) -> FailureOr<Value> {
    FailureOr<SmallVector<Value>> given = putTogether(Value(), carried, {});
    FailureOr<SmallVector<Value>> values = failed(given) ? given : node.expand(*loop.condition, *given);
    return failed(values) ? FailureOr<Value>() : values->front();
  };
  RegionBuilder regions(nn);
  FailureOr<LoopResults> results =
      loop.isCounted ? regions.buildLoop(built, body) : regions.buildLoop(built, body, goesOn);
  return failed(results) ? failure() : finish(*results);
}

void importAsLoop(OperandBinder &node, const LoopNode &loop) {
  if (failed(StackedLoop(node, loop).import()))
    node.fail();
}

void importLoop(OperandBinder &node) {
  FailureOr<LoopNode> loop = readLoop(node);
  if (failed(loop))
    return;
  auto asUnrolled = [&] { importUnrolled(node, *loop); };
  // If no counter determines the number of iterations, the loop is unrolled on trial. This fails if the condition is
  // not known, or if there are too many iterations.
  if (!loop->isCounted && !node.attempt(asUnrolled))
    return;
  const bool isKnown = loop->isCounted && *loop->most <= mostIterations;
  if (llvm::none_of(findCarriedStacks(loop->condition->view, loop->body->view), isStack))
    return importLoopOrUnrolled(node, [&] { importAsLoop(node, *loop); }, isKnown, asUnrolled);
  // If both attempts fail, the errors of the loop are reported, because they explain problems with stacks better.
  std::optional<OperandBinder::Attempt> asLoop = node.attempt([&] { importAsLoop(node, *loop); });
  if (asLoop && (!isKnown || node.attempt(asUnrolled)))
    node.report(std::move(*asLoop));
}

} // namespace

void registerLoops(ImportRegistry &registry) {
  registry.add("LoopCond", 1, {{"initial...", Holds::AnyValue}}, importLoop);
  registry.setLimit("LoopCond",
                    "carried types that change between iterations, unless constants limit the loop to 128 iterations");
}

} // namespace nacre::importer::tensorflow_format
