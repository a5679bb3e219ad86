// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that no node writes. Their handle is the value itself.

#include "compiler/import/tensorflow/operands/IndexType.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

void importRead(OperandBinder &node) {
  node.ignore({"dtype"});
  node.setResult(node.getOperand(0));
}

void importIsInitialized(OperandBinder &node) {
  node.ignore({"dtype"});
  auto type = RankedTensorType::get({}, node.nn.types().getI1Type());
  node.setResult(node.nn.constant(DenseElementsAttr::get(type, true)));
}

void importShape(OperandBinder &node) {
  Value value = node.getOperand(0);
  if (Type type = readIndexType(node, "out_type"))
    node.setResult(node.nn.cast(node.nn.sizesOf(value, 0, getRank(value)), type));
}

} // namespace

void registerVariables(ImportRegistry &registry) {
  registry.add("ReadVariableOp", 1, {{"resource"}}, importRead);
  registry.add("VarIsInitializedOp", 1, {{"resource"}}, importIsInitialized);
  registry.add("IsVariableInitialized", 1, {{"ref"}}, importIsInitialized);
  registry.add("VariableShape", 1, {{"input"}}, importShape);
}

} // namespace nacre::importer::tensorflow_format
