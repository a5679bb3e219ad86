// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that a run of the model would change.

#include "compiler/import/tensorflow/saved/WrittenVariables.h"

#include "compiler/import/tensorflow/saved/RestoredVariables.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

/// Optimizers, each of which has an operator of its own.
static bool trains(StringRef op) {
  return op.starts_with("Apply") || op.starts_with("ResourceApply") || op.starts_with("SparseApply") ||
         op.starts_with("ResourceSparseApply");
}

static bool writes(StringRef op) {
  return trains(op) || op.starts_with("Assign") || op.starts_with("Scatter") || op.starts_with("ResourceScatter") ||
         op == "ResourceStridedSliceAssign" || op == "StridedSliceAssign";
}

LogicalResult checkWritesNothing(const CheckedGraph &graph, ArrayRef<TensorId> inputs, ArrayRef<TensorId> outputs,
                                 StringRef what) {
  std::vector<bool> isReached(graph.getNodes().size(), false);
  std::vector<int> pending;
  auto reach = [&](int node) {
    if (!isReached[node])
      pending.push_back(node);
    isReached[node] = true;
  };
  auto reachTensor = [&](TensorId tensor) {
    if (!llvm::is_contained(inputs, tensor))
      reach(tensor.node);
  };
  llvm::for_each(outputs, reachTensor);
  while (!pending.empty()) {
    int id = pending.back();
    pending.pop_back();
    const CheckedNode &node = graph.getNode(id);
    std::optional<int> variable =
        writes(node.getOp()) && !node.operands.empty() ? findVariable(graph, node.operands[0]) : std::nullopt;
    if (variable) {
      std::string name = toPrintable(graph.getNode(*variable).getName());
      if (trains(node.getOp()))
        return emitError(graph.getLocation(id))
               << what << " trains the variable '" << name << "'; what trains a model is not supported";
      return emitError(graph.getLocation(id))
             << what << " writes the variable '" << name << "'; what a model keeps from run to run is not supported";
    }
    llvm::for_each(node.operands, reachTensor);
    llvm::for_each(node.controls, reach);
  }
  return success();
}

} // namespace nacre::importer::tensorflow_format
