// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of TensorArray. Its flow becomes the array's contents, and its handle becomes a template of the rows.

#include "compiler/import/tensorflow/arrays/Handlers.h"
#include "compiler/import/tensorflow/arrays/Rows.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// Returns the handle, which is a template of the rows. The attributes only repeat it, so they are ignored.
Value takeTemplate(OperandBinder &node) {
  node.ignore({"dtype", "element_shape", "element_shape_except0"});
  return node.getOperand(0);
}

void importTensorArray(OperandBinder &node) {
  node.ignore({"dynamic_size", "clear_after_read", "identical_element_shapes", "tensor_array_name"});
  Type elementType = node.getType("dtype", node.nn.types().getF32Type());
  SmallVector<int64_t> shape = node.getInts("element_shape");
  FailureOr<int64_t> size = node.getInteger(0);
  if (failed(size))
    return;
  node.setResult(
      0, makeTemplate(node, node.has("element_shape") ? std::optional<Ints>(shape) : std::nullopt, elementType));
  if (Value array = makeArray(node, *size))
    node.setResult(1, array);
}

/// Operands: handle, index, value, flow.
void importTensorArrayWrite(OperandBinder &node) {
  node.setResult(writeRow(node, node.getOperand(3), 1, node.getOperand(2)));
}

/// Operands: handle, index, flow.
void importTensorArrayRead(OperandBinder &node) {
  node.setResult(readRow(node, node.getOperand(2), 1, takeTemplate(node)));
}

/// Operands: handle, indices, flow.
void importTensorArrayGather(OperandBinder &node) {
  node.setResult(gatherRows(node, node.getOperand(2), 1, takeTemplate(node)));
}

/// Operands: handle, indices, value, flow.
void importTensorArrayScatter(OperandBinder &node) {
  if (node.checkRank(2, 1))
    node.setResult(scatterRows(node, node.getOperand(3), 1, node.getOperand(2)));
}

/// Operands: handle, flow.
void importTensorArrayConcat(OperandBinder &node) { concatRows(node, node.getOperand(1), takeTemplate(node)); }

/// Operands: handle, value, lengths, flow.
void importTensorArraySplit(OperandBinder &node) { node.setResult(splitRows(node, node.getOperand(1), 2)); }

/// Operands: handle, flow.
void importTensorArraySize(OperandBinder &node) { giveCount(node, node.getOperand(1)); }

} // namespace

void registerTensorArrays(ImportRegistry &registry) {
  const OperandRule handle = {"handle", Holds::AnyValue}, flow = {"flow_in", Holds::Rows},
                    index = {"index", Holds::Indices}, indices = {"indices", Holds::Indices};
  registry.add("TensorArrayV3", 1, {{"size", Holds::Indices}}, importTensorArray);
  registry.add("TensorArrayWriteV3", 1, {handle, index, {"value"}, flow}, importTensorArrayWrite);
  registry.add("TensorArrayReadV3", 1, {handle, index, flow}, importTensorArrayRead);
  registry.add("TensorArrayGatherV3", 1, {handle, indices, flow}, importTensorArrayGather);
  registry.add("TensorArrayScatterV3", 1, {handle, indices, {"value"}, flow}, importTensorArrayScatter);
  registry.add("TensorArrayConcatV3", 1, {handle, flow}, importTensorArrayConcat);
  registry.add("TensorArraySplitV3", 1, {handle, {"value"}, {"lengths", Holds::Indices}, flow}, importTensorArraySplit);
  registry.add("TensorArraySizeV3", 1, {handle, flow}, importTensorArraySize);
}

} // namespace nacre::importer::tensorflow_format
