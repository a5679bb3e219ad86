// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator Gradient: derivatives of a tensor of the graph with respect to tensors on which it depends.
//
// The nodes between these tensors are a graph of the node (GradientGraph.h), which is imported into a region. The phase
// `train` differentiates it.

#include "compiler/import/control/NodeGraphs.h"
#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/onnx/training/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format::training {
namespace {

void importGradient(OperandBinder &node) {
  node.ignore({"y", "zs"}); // already read for the view
  const size_t count = node.getStrings("xs").size();
  const NodeGraph *graph = node.getGraph("y");
  if (!graph || node.hasFailed())
    return;
  if (count == 0 || count > node.getNumOperands()) {
    node.error() << "attribute 'xs' must name one or more tensors, those of the first operands, but names " << count;
    return;
  }
  for (size_t index = 0; index < node.getNumOperands(); ++index)
    if (!node.getOperand(index) || (index < count && !isFloat(node.getOperand(index)))) {
      node.error() << node.nameOf(index) << " must be a tensor " << (index < count ? "of floats" : "")
                   << (index < count ? ", but is " : ", but is left out")
                   << (node.getOperand(index) ? describe(node.getOperand(index)) : "");
      return;
    }
  FailureOr<SmallVector<Value>> gradients = RegionBuilder(node.nn).buildGradient(
      node.getOperands(), count, [&](ArrayRef<Value> arguments) { return node.expand(*graph, arguments); });
  if (succeeded(gradients))
    setResults(node, *gradients);
  else
    node.fail();
}

} // namespace

void registerGradients(ImportRegistry &registry) { registry.add("Gradient", 1, {{"Inputs..."}}, importGradient); }

} // namespace nacre::importer::onnx_format::training
