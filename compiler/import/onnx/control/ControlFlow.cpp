// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops as one, or written out.

#include "compiler/import/onnx/control/ControlFlow.h"
#include "compiler/import/onnx/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

bool allowsTurns(OperandBinder &node, const NodeGraph &body, int64_t turns) {
  constexpr int64_t mostNodes = 20000;
  if (turns <= mostTurns && turns * static_cast<int64_t>(body.view.getNumNodes()) <= mostNodes)
    return true;
  node.error() << "must have at most " << mostTurns << " turns, and " << mostNodes << " nodes in all of them, but has "
               << turns << " turns of " << body.view.getNumNodes()
               << " nodes; a loop that long must carry values of one type through all turns";
  return false;
}

Value unsqueeze(NnBuilder &nn, Value slice, int64_t axis) {
  if (!slice)
    return {};
  if (!isTensor(slice)) {
    nn.error() << "what a turn adds to a stack must be a tensor, but is " << describe(slice);
    return {};
  }
  SmallVector<int64_t> shape(getShape(slice));
  shape.insert(shape.begin() + axis, 1);
  return nn.reshape(slice, shape);
}

Value joinStack(OperandBinder &node, ArrayRef<Value> rows, const GraphValue &output, int64_t axis) {
  if (!rows.empty())
    return node.nn.concat(rows, axis);
  const DeclaredType &type = output.type;
  bool isKnown =
      type.elementType && type.shape && llvm::none_of(*type.shape, [](const Dimension &dim) { return dim.isOpen(); });
  if (!isKnown) {
    node.error() << "the body must declare the type of its output '" << output.name
                 << "', because the loop has no turns; export the model with shapes";
    return {};
  }
  SmallVector<int64_t> shape = llvm::map_to_vector(*type.shape, [](const Dimension &dim) { return dim.size; });
  shape.insert(shape.begin() + axis, 0);
  return node.nn.splat(RankedTensorType::get(shape, type.elementType), 0);
}

void importLoopOrTurns(OperandBinder &node, llvm::function_ref<void()> asLoop, bool isKnown,
                       llvm::function_ref<void()> asTurns) {
  std::optional<OperandBinder::Attempt> turns;
  if (isKnown) {
    turns = node.attempt(asTurns);
    if (!turns)
      return;
  }
  if (std::optional<OperandBinder::Attempt> loop = node.attempt(asLoop))
    node.report(std::move(turns ? *turns : *loop));
}

void registerControlFlow(ImportRegistry &registry) {
  registerBranches(registry);
  registerLoops(registry);
  registerScans(registry);
}

} // namespace nacre::importer::onnx_format
