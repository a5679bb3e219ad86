// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raised conditionals (RaisedView.h), which have the operator Merge. Loops.cpp imports raised loops.

#include "compiler/import/control/NodeGraphs.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

void importConditional(OperandBinder &node) {
  const NodeGraph *onTrue = node.getGraph("then"), *onFalse = node.getGraph("else");
  if (!onTrue || !onFalse)
    return;
  FailureOr<SmallVector<Value>> results = importBranches(node, 0, *onTrue, *onFalse);
  if (succeeded(results))
    setResults(node, *results);
}

/// Imports the test of a branch of a Case (saved/FunctionalControl.h): true if operand 0 is the index of the branch.
void importCaseBranch(OperandBinder &node) {
  auto branch = static_cast<double>(node.getInt("branch", 0));
  node.setResult(node.nn.binary(nn::BinaryKind::Equal, node.getOperand(0), branch));
}

} // namespace

void registerControlFlow(ImportRegistry &registry) {
  registry.add("Merge", 1, {{"predicate", Holds::Booleans}}, importConditional);
  registry.add("Case", 1, {{"branch_index", Holds::Indices}}, importCaseBranch);
}

} // namespace nacre::importer::tensorflow_format
