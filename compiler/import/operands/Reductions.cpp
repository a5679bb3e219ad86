// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/operands/Reductions.h"
#include "compiler/import/operands/Axes.h"

using namespace mlir;

namespace nacre::importer {

void findExtreme(OperandBinder &node, nn::ArgKind kind, int64_t axis, Type type, bool keepDims, bool selectLast) {
  Value x = node.getOperand(0);
  if (getShape(x)[axis] == 0)
    node.error() << node.nameOf(0) << " must not be empty along axis " << axis << ", but is " << describe(x);
  else
    node.setResult(node.nn.cast(node.nn.argReduce(kind, x, axis, keepDims, selectLast), type));
}

void cumulate(OperandBinder &node, nn::CumulateKind kind, bool isExclusive, bool isReverse) {
  FailureOr<int64_t> axis = readAxis(node, 1, getRank(node.getOperand(0)));
  if (succeeded(axis))
    node.setResult(node.nn.infer<nn::CumulateOp>(kind, node.getOperand(0), *axis, isExclusive, isReverse));
}

} // namespace nacre::importer
