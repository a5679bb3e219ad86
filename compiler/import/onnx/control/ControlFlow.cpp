// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of rows, and the registration of all handlers of this folder.

#include "compiler/import/onnx/control/ControlFlow.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

Value unsqueeze(NnBuilder &nn, Value slice, int64_t axis) {
  if (!slice)
    return {};
  if (!isTensor(slice)) {
    nn.error() << "each iteration must add a tensor to a stack, but adds " << describe(slice);
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
                 << "', because the loop has no iterations; export the model with shapes";
    return {};
  }
  SmallVector<int64_t> shape = llvm::map_to_vector(*type.shape, [](const Dimension &dim) { return dim.size; });
  shape.insert(shape.begin() + axis, 0);
  return node.nn.splat(RankedTensorType::get(shape, type.elementType), 0);
}

void registerControlFlow(ImportRegistry &registry) {
  registerBranches(registry);
  registerLoops(registry);
  registerScans(registry);
}

} // namespace nacre::importer::onnx_format
