// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/operands/Cumulations.h"

using namespace mlir;

namespace nacre::importer {

void cumulate(OperandBinder &node, nn::CumulateKind kind, bool isExclusive, bool isReverse) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> given = node.getInteger(1);
  if (failed(given))
    return;
  FailureOr<int64_t> axis = node.getAxis(*given, getRank(x));
  if (succeeded(axis))
    node.setResult(node.nn.infer<nn::CumulateOp>(kind, x, *axis, isExclusive, isReverse));
}

} // namespace nacre::importer
