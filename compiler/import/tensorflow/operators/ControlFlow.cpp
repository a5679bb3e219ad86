// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditionals and loops, as they are raised (RaisedView.h): what a Merge chooses, and what a LoopCond ends.
//
// How:  1. conditionals,
//       2. how many turns a loop has, where its counters tell,
//       3. turn by turn, where the condition is known in each; arrays are lists of rows then,
//       4. as a loop of `nn`, which carries tensors alone: what the rows of an array are, one turn tells; lists that grow or
//          shrink by a row in each turn are its stacks and scanned operands.

#include "compiler/import/control/NodeGraphs.h"
#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/tensorflow/arrays/CarriedStacks.h"
#include "compiler/import/tensorflow/arrays/Rows.h"
#include "compiler/import/tensorflow/control/ControlGraph.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

#include "dialects/PrintableText.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/control/Turns.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Conditionals
//===----------------------------------------------------------------------===//

void importConditional(OperandBinder &node) {
  const NodeGraph *onTrue = node.getGraph("then"), *onFalse = node.getGraph("else");
  if (!onTrue || !onFalse)
    return;
  FailureOr<SmallVector<Value>> results = importBranches(node, 0, *onTrue, *onFalse);
  if (succeeded(results))
    setResults(node, *results);
}

/// Whether a branch of a Case is the one that is taken (saved/FunctionalControl.h).
void importCaseBranch(OperandBinder &node) {
  auto branch = static_cast<double>(node.getInt("branch", 0));
  node.setResult(node.nn.binary(nn::BinaryKind::Equal, node.getOperand(0), branch));
}

//===----------------------------------------------------------------------===//
// 2. Counts
//===----------------------------------------------------------------------===//

struct LoopNode {
  const NodeGraph *condition, *body;
  SmallVector<Value> initial;
  std::optional<int64_t> most; ///< turns, as far as counters tell
  bool isCounted = false;      ///< there are as many
};

/// The integer that a value is, if it is known.
std::optional<int64_t> findInteger(Value value) {
  ElementsAttr constant = isTensor(value) ? getConstant(value) : ElementsAttr();
  if (!constant || constant.getNumElements() != 1 || !isa<IntegerType>(constant.getElementType()))
    return std::nullopt;
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  return succeeded(view) ? std::optional(view->readIntegers().front()) : std::nullopt;
}

/// The number that operand `index` is, if it is known.
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

/// The operands behind those that are carried are limit and step of each count.
FailureOr<LoopNode> readLoop(OperandBinder &node) {
  LoopNode loop{node.getGraph("condition"), node.getGraph("body"), {}, std::nullopt};
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
    std::optional<int64_t> turns;
    if (start && limit && step)
      turns = nn::countTurns(getElementType(node.getOperand(facts[0])), *start, facts[2] ? -*step : *step,
                             getKind(static_cast<LoopCount::Comparison>(facts[1])), *limit);
    loop.isCounted &= turns.has_value();
    if (turns)
      loop.most = std::min(loop.most.value_or(*turns), *turns);
  }
  loop.isCounted &= loop.most.has_value();
  return loop;
}

//===----------------------------------------------------------------------===//
// 3. Turn by turn
//===----------------------------------------------------------------------===//

void importTurns(OperandBinder &node, const LoopNode &loop) {
  importTurns(node, *loop.condition, *loop.body, loop.initial, loop.isCounted ? loop.most : std::nullopt);
}

//===----------------------------------------------------------------------===//
// 4. As a loop
//===----------------------------------------------------------------------===//

/// Returns the loop's initial values, in which arrays other than stacks are tensors; fails after an error. A first iteration, which stays without use, tells
/// what it writes to them.
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

/// Whether the number of iterations is known, which lists that grow and shrink need; reports an error if not.
bool checkStacks(OperandBinder &node, const LoopNode &loop, ArrayRef<CarriedStack> stacks) {
  const auto *stack = llvm::find_if(stacks, isStack);
  if (stack == stacks.end() || loop.isCounted)
    return true;
  node.error() << "the number of iterations must be known at compile time, because '" << toPrintable(stack->node)
               << (stack->use == CarriedStack::Use::Grows ? "' pushes a value to a stack in each"
                                                          : "' takes a value of a stack in each")
               << "; fix the input that decides it with --set, or export the model with a fixed number of time steps";
  return false;
}

/// Makes constants of a loop's final counters, if the number of its iterations is known: the gradient's loop begins with one of them.
void settleCounters(OperandBinder &node, const Loop &built, MutableArrayRef<Value> finals) {
  for (auto [index, start, last] : llvm::enumerate(built.initial, finals)) {
    auto op = last.getDefiningOp<nn::ForOp>();
    std::optional<int64_t> begin = findInteger(start);
    if (!op || !begin || getRank(start) != 0)
      continue;
    Block &body = op.getBody().front();
    auto sum = cast<nn::YieldOp>(body.getTerminator()).getCarried()[index].getDefiningOp<nn::BinaryOp>();
    Value counter = body.getArgument(unsigned(index) + 1);
    if (!sum || sum.getKind() != nn::BinaryKind::Add || sum->getOperand(0) != counter)
      continue;
    if (std::optional<int64_t> step = findInteger(sum->getOperand(1)))
      last = node.nn.cast(node.nn.reshape(node.nn.integers(*begin + *step * *built.bound), {}), getElementType(start));
  }
}

void importAsLoop(OperandBinder &node, const LoopNode &loop) {
  const std::vector<CarriedStack> stacks = findCarriedStacks(loop.condition->view, loop.body->view);
  if (!checkStacks(node, loop, stacks))
    return node.fail();
  FailureOr<SmallVector<Value>> initial = joinArrays(node, loop, stacks);
  if (failed(initial))
    return node.fail();
  using Use = CarriedStack::Use;
  Loop built;
  built.bound = loop.most;
  built.reverse = llvm::none_of(stacks, [](const CarriedStack &stack) { return stack.use == Use::Grows; });
  SmallVector<TakenStack> taken; // of stacks that shrink
  for (auto [value, stack] : llvm::zip_equal(*initial, stacks)) {
    if (stack.use == Use::None)
      built.initial.push_back(value);
    if (stack.use != Use::Shrinks)
      continue;
    FailureOr<TakenStack> found = takeStack(node, value, *loop.most, /*isReversed=*/!built.reverse, stack.node);
    if (failed(found))
      return node.fail();
    taken.push_back(*found);
    if (!found->taken.areKnown())
      built.scanned.push_back(found->taken.rows);
  }
  built.reverse &= !built.scanned.empty();
  /// All values that the graphs take, of those that the loop has. A stack has no row but the one to be taken in the body.
  auto putTogether = [&](Value number, ArrayRef<Value> carried, ArrayRef<Value> rows) {
    SmallVector<Value> values;
    ArrayRef<TakenStack> shrinking = taken;
    for (const CarriedStack &stack : stacks)
      if (stack.use == Use::None) {
        values.push_back(carried.consume_front());
      } else if (stack.use == Use::Shrinks && number) {
        Value known = shrinking.consume_front().taken.find(node.nn, number);
        values.push_back(node.nn.list({known ? known : rows.consume_front()}));
      } else {
        values.push_back(node.nn.list({}));
      }
    return values;
  };
  SmallVector<StackRows> pushed; // of stacks that grow
  auto compute = [&](Value number, ArrayRef<Value> carried, ArrayRef<Value> rows) -> FailureOr<Turn> {
    FailureOr<SmallVector<Value>> values = node.expand(*loop.body, putTogether(number, carried, rows));
    if (failed(values))
      return failure();
    Turn turn;
    for (auto [value, stack] : llvm::zip_equal(*values, stacks)) {
      if (stack.use == Use::None)
        turn.carried.push_back(getList(value) ? joinRows(node, value, node.nn.nothing()) : value);
    }
    for (auto [value, stack] : llvm::zip_equal(*values, stacks)) {
      if (stack.use != Use::Grows)
        continue;
      FailureOr<StackRows> row =
          findPushed(node, getList(value)->front(), number.getParentBlock(), built.initial, carried, turn.carried);
      if (failed(row))
        return failure();
      pushed.push_back(*row);
      if (!row->areKnown())
        turn.rows.push_back(row->rows);
    }
    return turn;
  };
  auto goesOn = [&](Value, ArrayRef<Value> carried) -> FailureOr<Value> {
    FailureOr<SmallVector<Value>> values = node.expand(*loop.condition, putTogether(Value(), carried, {}));
    return failed(values) ? FailureOr<Value>() : values->front();
  };
  RegionBuilder regions(node.nn);
  FailureOr<LoopResults> results =
      loop.isCounted ? regions.buildLoop(built, compute) : regions.buildLoop(built, compute, goesOn);
  if (failed(results))
    return node.fail();
  if (llvm::any_of(stacks, isStack))
    settleCounters(node, built, results->finals);
  ArrayRef<Value> finals = results->finals, grown = results->stacks;
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
      if (ElementsAttr known = rows.same ? getConstant(rows.same) : ElementsAttr())
        rows.same = node.nn.constant(known); // the body may have its own
      if (rows.listed)
        rows.same = node.nn.list(SmallVector<Value>(*rows.listed, rows.same));
      if (!rows.areKnown())
        rows.rows = grown.consume_front();
      value = growStack(node, (*initial)[index], rows, *loop.most);
    }
    if (!value)
      return node.fail();
    node.setResult(index, value);
  }
}

void importLoop(OperandBinder &node) {
  FailureOr<LoopNode> loop = readLoop(node);
  if (failed(loop))
    return;
  auto asTurns = [&] { importTurns(node, *loop); };
  // Where no counter tells, the first turns do: they are few, or their condition is not known.
  if (!loop->isCounted && !node.attempt(asTurns))
    return;
  const bool isKnown = loop->isCounted && *loop->most <= mostTurns;
  if (llvm::none_of(findCarriedStacks(loop->condition->view, loop->body->view), isStack))
    return importLoopOrTurns(node, [&] { importAsLoop(node, *loop); }, isKnown, asTurns);
  // The loop's errors about stacks are clearer than those of an iteration.
  std::optional<OperandBinder::Attempt> asLoop = node.attempt([&] { importAsLoop(node, *loop); });
  if (asLoop && (!isKnown || node.attempt(asTurns)))
    node.report(std::move(*asLoop));
}

} // namespace

void registerControlFlow(ImportRegistry &registry) {
  registry.add("Merge", 1, {{"predicate", Holds::Booleans}}, importConditional);
  registry.add("Case", 1, {{"branch_index", Holds::Indices}}, importCaseBranch);
  registry.add("LoopCond", 1, {{"initial...", Holds::AnyValue}}, importLoop);
  registry.setLimit("LoopCond",
                    "carried types that change between iterations, unless constants limit the loop to 128 iterations");
}

} // namespace nacre::importer::tensorflow_format
