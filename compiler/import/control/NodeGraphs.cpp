// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What handlers of branches and loops do alike in every format: which branch is taken, how far a loop is written out.

#include "compiler/import/control/NodeGraphs.h"

#include "compiler/import/control/RegionBuilder.h"

using namespace mlir;

namespace nacre::importer {

FailureOr<SmallVector<Value>> importBranches(OperandBinder &node, size_t condition, const NodeGraph &onTrue,
                                             const NodeGraph &onFalse) {
  Value given = node.getOperand(condition);
  if (!getConstant(given) && getType(given).getNumElements() == 1) {
    FailureOr<SmallVector<Value>> results = RegionBuilder(node.nn).buildIf(
        given, [&] { return node.expand(onTrue, {}); }, [&] { return node.expand(onFalse, {}); });
    if (succeeded(results))
      return results;
    node.fail(); // with the condition known one of them would do
  }
  FailureOr<int64_t> isTrue = node.getInteger(condition);
  if (failed(isTrue))
    return failure();
  return node.expand(*isTrue ? onTrue : onFalse, {});
}

bool allowsTurns(OperandBinder &node, const NodeGraph &body, int64_t turns) {
  constexpr int64_t mostNodes = 20000;
  if (turns <= mostTurns && turns * static_cast<int64_t>(body.view.getNumNodes()) <= mostNodes)
    return true;
  node.error() << "must have at most " << mostTurns << " turns, and " << mostNodes << " nodes in all of them, but has "
               << turns << " turns of " << body.view.getNumNodes()
               << " nodes; a loop that long must carry values of one type through all turns";
  return false;
}

void importLoopOrTurns(OperandBinder &node, llvm::function_ref<void()> asLoop, bool isKnown,
                       llvm::function_ref<void()> asTurns) {
  // What is computed of constants alone may say a shape.
  auto isConstant = [](Value operand) { return !operand || getConstant(operand); };
  auto isWantedConstant = [&](size_t index) { return !node.wantsResult(index) || getConstant(node.getResult(index)); };
  if (isKnown && llvm::all_of(node.getOperands(), isConstant) && !node.attempt(asTurns) &&
      llvm::all_of(llvm::seq<size_t>(0, node.getNumResults()), isWantedConstant))
    return;
  std::optional<OperandBinder::Attempt> loop = node.attempt(asLoop);
  if (!loop)
    return;
  if (!isKnown)
    return node.report(std::move(*loop));
  if (std::optional<OperandBinder::Attempt> turns = node.attempt(asTurns))
    node.report(std::move(*turns));
}

} // namespace nacre::importer
