// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/operands/Diagonals.h"

#include "compiler/import/compositions/Movement.h"

using namespace mlir;

namespace nacre::importer {

void makeDiagonals(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!node.checkRank(0, 1, maxRank - 1))
    return;
  Value diagonal = node.getOperand(0);
  SmallVector<int64_t> shape(getShape(diagonal));
  shape.push_back(shape.back());
  if (node.checkFits(shape))
    node.setResult(setDiagonal(nn, nn.splat(RankedTensorType::get(shape, getElementType(diagonal)), 0), diagonal));
}

void replaceDiagonals(OperandBinder &node) {
  if (!node.checkRank(0, 2))
    return;
  SmallVector<int64_t> shape(getShape(node.getOperand(0)));
  const int64_t columns = shape.pop_back_val();
  shape.back() = std::min(shape.back(), columns);
  if (node.checkShape(1, shape, "a diagonal for each matrix"))
    node.setResult(setDiagonal(node.nn, node.getOperand(0), node.getOperand(1)));
}

} // namespace nacre::importer
