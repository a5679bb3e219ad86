// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditionals and loops, as they are raised (RaisedView.h): what a Merge chooses, and what a LoopCond ends.
//
// How:  1. conditionals; 2. loops, turn by turn.

#include "compiler/import/GraphView.h"
#include "compiler/import/tensorflow/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Conditionals
//===----------------------------------------------------------------------===//

void importConditional(OperandBinder &node) {
  const NodeGraph *onTrue = node.getGraph("then"), *onFalse = node.getGraph("else");
  FailureOr<int64_t> predicate = node.getInteger(0);
  if (!onTrue || !onFalse || failed(predicate))
    return;
  FailureOr<SmallVector<Value>> results = node.expand(*predicate ? *onTrue : *onFalse, {});
  if (failed(results))
    return;
  for (auto [index, result] : llvm::enumerate(*results))
    node.setResult(index, result);
}

//===----------------------------------------------------------------------===//
// 2. Loops
//===----------------------------------------------------------------------===//

/// How many turns, and nodes in all turns, a loop may be written out to.
constexpr int64_t mostTurns = 128, mostNodes = 20000;

bool allowsTurn(OperandBinder &node, const NodeGraph &body, int64_t turn) {
  if (turn < mostTurns && (turn + 1) * static_cast<int64_t>(body.view.getNumNodes()) <= mostNodes)
    return true;
  node.error() << "must have at most " << mostTurns << " turns, and " << mostNodes
               << " nodes in all of them, but has more; loops that long are not supported";
  return false;
}

void importTurns(OperandBinder &node, const NodeGraph &condition, const NodeGraph &body, size_t numCarried) {
  SmallVector<Value> carried(node.getOperands().take_front(numCarried));
  for (int64_t turn = 0;; ++turn) {
    FailureOr<SmallVector<Value>> goesOn = node.expand(condition, carried);
    if (failed(goesOn))
      return;
    ElementsAttr known = getConstant(goesOn->front());
    if (!known || known.getNumElements() != 1 || !known.getElementType().isInteger(1)) {
      node.error()
          << "the condition of the loop must be known when the model is compiled, but is computed; loops that end "
             "by what they compute are not supported";
      return;
    }
    if (!*known.getValues<bool>().begin())
      break;
    FailureOr<SmallVector<Value>> next = failure();
    if (allowsTurn(node, body, turn))
      next = node.expand(body, carried);
    if (failed(next))
      return;
    carried = std::move(*next);
  }
  for (auto [index, value] : llvm::enumerate(carried))
    node.setResult(index, value);
}

void importLoop(OperandBinder &node) {
  const NodeGraph *condition = node.getGraph("condition"), *body = node.getGraph("body");
  if (!condition || !body)
    return;
  node.ignore({"counts", "is_counted"});
  importTurns(node, *condition, *body, static_cast<size_t>(node.getInt("carried", 0)));
}

} // namespace

void registerControlFlow(ImportRegistry &registry) {
  registry.add("Merge", 1, {{"predicate", Holds::Booleans}}, importConditional);
  registry.setLimit("Merge", "predicates that a run decides");
  registry.add("LoopCond", 1, {{"initial...", Holds::AnyValue}}, importLoop);
  registry.setLimit("LoopCond", "an end that a run decides, more than 128 turns");
}

} // namespace nacre::importer::tensorflow_format
