// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If: if the condition is known, only the chosen branch is imported. Otherwise, both branches become regions.

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/control/ControlFlow.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

void importIf(OperandBinder &node) {
  const NodeGraph *onTrue = node.getGraph("then_branch"), *onFalse = node.getGraph("else_branch");
  if (!onTrue || !onFalse)
    return;
  FailureOr<SmallVector<Value>> results = importBranches(node, 0, *onTrue, *onFalse);
  if (failed(results))
    return;
  if (results->size() != node.getNumResults()) {
    node.error() << "a branch must have " << describeCount(node.getNumResults(), "output") << " like the node, but has "
                 << results->size();
    return;
  }
  for (auto [index, result] : llvm::enumerate(*results))
    node.setResult(index, result);
}

} // namespace

void registerBranches(ImportRegistry &registry) {
  registry.add("If", 1, {{"cond", Holds::Booleans}}, importIf);
  registry.setLimit("If", "branches of different types, if the condition is known only at run time");
}

} // namespace nacre::importer::onnx_format
