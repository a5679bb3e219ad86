// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that handlers of branches and loops share in every format: the choice of a branch, and the unrolling of a loop.

#include "compiler/import/control/NodeGraphs.h"

#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/messages/TypeNames.h"

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
    node.fail(); // a known condition would need only one branch
  }
  FailureOr<int64_t> isTrue = node.getInteger(condition);
  if (failed(isTrue))
    return failure();
  return node.expand(*isTrue ? onTrue : onFalse, {});
}

bool allowsUnrolling(OperandBinder &node, const NodeGraph &body, int64_t iterations, StringRef advice) {
  constexpr int64_t mostNodes = 20000;
  if (iterations <= mostIterations && iterations * static_cast<int64_t>(body.view.getNumNodes()) <= mostNodes)
    return true;
  node.error() << "must have at most " << mostIterations << " iterations and " << mostNodes
               << " nodes in total to be unrolled, but has " << describeCount(iterations, "iteration") << " of "
               << describeCount(body.view.getNumNodes(), "node") << "; to keep such a loop rolled, " << advice;
  return false;
}

void setResults(OperandBinder &node, ArrayRef<Value> values) {
  for (auto [index, value] : llvm::enumerate(values))
    node.setResult(index, value);
}

void importUnrolled(OperandBinder &node, const NodeGraph &condition, const NodeGraph &body, ArrayRef<Value> initial,
                    std::optional<int64_t> iterations) {
  SmallVector<Value> carried(initial);
  for (int64_t iteration = 0;; ++iteration) {
    FailureOr<SmallVector<Value>> goesOn = node.expand(condition, carried);
    if (failed(goesOn))
      return;
    ElementsAttr known = isTensor(goesOn->front()) ? getConstant(goesOn->front()) : ElementsAttr();
    if (!known || known.getNumElements() != 1 || !known.getElementType().isInteger(1)) {
      node.error() << "the condition must be known at compile time, because the types of the carried values change "
                      "between iterations, but is computed";
      return;
    }
    if (!*known.getValues<bool>().begin())
      return setResults(node, carried);
    if (!allowsUnrolling(node, body, iterations.value_or(iteration + 1)))
      return;
    FailureOr<SmallVector<Value>> next = node.expand(body, carried);
    if (failed(next))
      return;
    carried = std::move(*next);
  }
}

/// True for a constant, and for a list that has only constants.
static bool isConstant(Value value) {
  if (std::optional<ValueRange> list = getList(value))
    return llvm::all_of(*list, isConstant);
  return getConstant(value) != nullptr;
}

void importLoopOrUnrolled(OperandBinder &node, llvm::function_ref<void()> asLoop, bool isKnown,
                          llvm::function_ref<void()> asUnrolled) {
  // Results that depend only on constant operands may be shapes, so they are computed immediately.
  auto isGivenConstant = [](Value operand) { return !operand || isConstant(operand); };
  auto isWantedConstant = [&](size_t index) { return !node.wantsResult(index) || isConstant(node.getResult(index)); };
  if (isKnown && llvm::all_of(node.getOperands(), isGivenConstant) && !node.attempt(asUnrolled) &&
      llvm::all_of(llvm::seq<size_t>(0, node.getNumResults()), isWantedConstant))
    return;
  std::optional<OperandBinder::Attempt> loop = node.attempt(asLoop);
  if (!loop)
    return;
  if (!isKnown)
    return node.report(std::move(*loop));
  if (std::optional<OperandBinder::Attempt> iterations = node.attempt(asUnrolled))
    node.report(std::move(*iterations));
}

} // namespace nacre::importer
