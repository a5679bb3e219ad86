// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If: where the condition is known the branch that is taken alone, and nobody looks at the other; else both, in regions.

#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/onnx/control/ControlFlow.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

void setResults(OperandBinder &node, ArrayRef<Value> results, StringRef attribute) {
  if (results.size() != node.getNumResults()) {
    node.error() << "attribute '" << attribute << "' must have " << node.getNumResults()
                 << " outputs, as the node has, but has " << results.size();
    return;
  }
  for (auto [index, result] : llvm::enumerate(results))
    node.setResult(index, result);
}

void importIf(OperandBinder &node) {
  const NodeGraph *onTrue = node.getGraph("then_branch"), *onFalse = node.getGraph("else_branch");
  if (!onTrue || !onFalse)
    return;
  Value condition = node.getOperand(0);
  if (!getConstant(condition) && getType(condition).getNumElements() == 1) {
    FailureOr<SmallVector<Value>> results = RegionBuilder(node.nn).buildIf(
        condition, [&] { return node.expand(*onTrue, {}); }, [&] { return node.expand(*onFalse, {}); });
    if (failed(results))
      node.fail();
    else
      setResults(node, *results, onTrue->attribute);
    return;
  }
  FailureOr<int64_t> isTrue = node.getInteger(0);
  if (failed(isTrue))
    return;
  const NodeGraph &taken = *isTrue ? *onTrue : *onFalse;
  FailureOr<SmallVector<Value>> results = node.expand(taken, {});
  if (succeeded(results))
    setResults(node, *results, taken.attribute);
}

} // namespace

void registerBranches(ImportRegistry &registry) {
  registry.add("If", 1, {{"cond", Holds::Booleans}}, importIf);
  registry.setLimit("If", "branches that give other types, where a run decides");
}

} // namespace nacre::importer::onnx_format
