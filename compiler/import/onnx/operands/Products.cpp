// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of matrix products, with checks of their shapes by NumPy's rule.

#include "compiler/import/onnx/operands/Products.h"

#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

bool checkDepth(OperandBinder &node, size_t lhs, int64_t lhsDepth, size_t rhs, int64_t rhsDepth) {
  if (lhsDepth == rhsDepth)
    return true;
  node.error() << node.nameOf(lhs) << " must have as many columns as " << node.nameOf(rhs)
               << " has rows, but they have " << lhsDepth << " and " << rhsDepth << " ("
               << describe(node.getOperand(lhs)) << " and " << describe(node.getOperand(rhs)) << ")";
  return false;
}

/// Returns the shape of the product. Fails after an error.
static FailureOr<SmallVector<int64_t>> multiplyShapes(OperandBinder &node, size_t lhs, size_t rhs) {
  if (!node.checkRank(lhs, 1) || !node.checkRank(rhs, 1))
    return failure();
  Ints left = getShape(node.getOperand(lhs)), right = getShape(node.getOperand(rhs));
  if (!checkDepth(node, lhs, left.back(), rhs, right.size() > 1 ? right[right.size() - 2] : right[0]))
    return failure();
  llvm::Expected<nn::Shape> shape = nn::broadcastShapes(
      {left.drop_back(std::min<size_t>(left.size(), 2)), right.drop_back(std::min<size_t>(right.size(), 2))});
  if (!shape) {
    llvm::consumeError(shape.takeError());
    return node.error() << "all axes but the last two must broadcast, but operands are "
                        << describe(node.getOperand(lhs)) << " and " << describe(node.getOperand(rhs));
  }
  if (left.size() > 1)
    shape->push_back(left[left.size() - 2]);
  if (right.size() > 1)
    shape->push_back(right.back());
  if (!node.checkFits(*shape))
    return failure();
  return std::move(*shape);
}

FailureOr<Factors> readFactors(OperandBinder &node, size_t lhs, size_t rhs) {
  FailureOr<SmallVector<int64_t>> shape = multiplyShapes(node, lhs, rhs);
  if (failed(shape))
    return failure();
  Factors factors{node.getOperand(lhs), node.getOperand(rhs), std::move(*shape)};
  if (getRank(factors.lhs) == 1)
    factors.lhs = node.nn.reshape(factors.lhs, {1, getShape(factors.lhs)[0]});
  if (getRank(factors.rhs) == 1)
    factors.rhs = node.nn.reshape(factors.rhs, {getShape(factors.rhs)[0], 1});
  return factors;
}

} // namespace nacre::importer::onnx_format
