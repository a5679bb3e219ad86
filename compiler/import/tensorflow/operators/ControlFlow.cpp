// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditionals and loops, as they are raised (RaisedView.h): what a Merge chooses, and what a LoopCond ends.
//
// How:  1. conditionals,
//       2. how many turns a loop has, where its counters tell,
//       3. turn by turn, where the condition is known in each; arrays are lists of rows then,
//       4. as a loop of `nn`, which carries tensors alone: what the rows of an array are, one turn tells.

#include "compiler/import/control/NodeGraphs.h"
#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/tensorflow/arrays/Rows.h"
#include "compiler/import/tensorflow/control/ControlGraph.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

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

/// What the loop begins with, arrays as tensors; fails after an error. A first turn, which stays without use, tells what
/// it writes to them.
FailureOr<SmallVector<Value>> joinArrays(OperandBinder &node, const LoopNode &loop) {
  SmallVector<Value> initial = loop.initial;
  auto isArray = [](Value value) { return getList(value).has_value(); };
  if (llvm::none_of(initial, isArray))
    return initial;
  FailureOr<SmallVector<Value>> next = node.expand(*loop.body, initial);
  if (failed(next))
    return failure();
  for (auto [value, behind] : llvm::zip_equal(initial, *next)) {
    if (!isArray(value))
      continue;
    if (isTensor(behind) || isArray(behind))
      value = joinRows(node, value, templateOf(node, behind));
    if (!value || !isTensor(value))
      return failure();
  }
  return initial;
}

void importAsLoop(OperandBinder &node, const LoopNode &loop) {
  FailureOr<SmallVector<Value>> initial = joinArrays(node, loop);
  if (failed(initial))
    return node.fail();
  Loop built;
  built.bound = loop.most;
  built.initial = *initial;
  auto compute = [&](Value, ArrayRef<Value> carried, ArrayRef<Value>) -> FailureOr<Turn> {
    FailureOr<SmallVector<Value>> values = node.expand(*loop.body, carried);
    if (failed(values))
      return failure();
    for (Value &value : *values)
      if (getList(value))
        value = joinRows(node, value, node.nn.nothing());
    return Turn{*values};
  };
  auto goesOn = [&](Value, ArrayRef<Value> carried) -> FailureOr<Value> {
    FailureOr<SmallVector<Value>> values = node.expand(*loop.condition, carried);
    return failed(values) ? FailureOr<Value>() : values->front();
  };
  RegionBuilder regions(node.nn);
  FailureOr<LoopResults> results =
      loop.isCounted ? regions.buildLoop(built, compute) : regions.buildLoop(built, compute, goesOn);
  if (failed(results))
    return node.fail();
  setResults(node, results->finals);
}

void importLoop(OperandBinder &node) {
  FailureOr<LoopNode> loop = readLoop(node);
  if (failed(loop))
    return;
  auto asTurns = [&] { importTurns(node, *loop); };
  // Where no counter tells, the first turns do: they are few, or their condition is not known.
  if (!loop->isCounted && !node.attempt(asTurns))
    return;
  importLoopOrTurns(node, [&] { importAsLoop(node, *loop); }, loop->isCounted && *loop->most <= mostTurns, asTurns);
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
