// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/operands/Axes.h"

using namespace mlir;

namespace nacre::importer {

FailureOr<int64_t> readAxis(OperandBinder &node, size_t index, int64_t rank) {
  FailureOr<int64_t> given = node.getInteger(index);
  if (failed(given))
    return failure();
  return node.getAxis(*given, rank);
}

FailureOr<SmallVector<int64_t>> readAxes(OperandBinder &node, size_t index, int64_t rank) {
  FailureOr<SmallVector<int64_t>> given = node.getIntegers(index);
  if (failed(given))
    return failure();
  return node.getAxes(*given, rank);
}

} // namespace nacre::importer
