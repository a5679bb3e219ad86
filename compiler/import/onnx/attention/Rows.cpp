// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers rows of a table by index.

#include "compiler/import/onnx/attention/Rows.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

Value pickRows(OperandBinder &node, size_t index, Value numbers) {
  Value table = node.getOperand(index);
  if (!numbers || !node.checkRank(index, 2, 2))
    return {};
  if (getShape(table)[0] == 0) {
    node.error() << node.nameOf(index) << " must have rows to pick from, but is " << describe(table);
    return {};
  }
  SmallVector<int64_t> shape(getShape(numbers));
  shape.push_back(getShape(table)[1]);
  return node.checkFits(shape) ? node.nn.gather(table, numbers, 0) : Value();
}

} // namespace nacre::importer::onnx_format
