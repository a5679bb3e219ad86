// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products.

#include "compiler/import/compositions/Determinant.h"
#include "compiler/import/compositions/Einsum.h"
#include "compiler/import/onnx/Handlers.h"

#include "dialects/nn/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Reports an error unless the depths of two factors agree: `lhsDepth` of operand 0 and `rhsDepth` of operand 1.
bool checkDepth(OperandBinder &node, int64_t lhsDepth, int64_t rhsDepth) {
  if (lhsDepth == rhsDepth)
    return true;
  node.error() << node.nameOf(0) << " must have as many columns as " << node.nameOf(1) << " has rows, but they have "
               << lhsDepth << " and " << rhsDepth << " (" << describe(node.getOperand(0)) << " and "
               << describe(node.getOperand(1)) << ")";
  return false;
}

/// NumPy's rule for operands 0 and 1: the last two axes are matrices, those before them broadcast.
bool checkMatMul(OperandBinder &node) {
  if (!node.checkRank(0, 1) || !node.checkRank(1, 1))
    return false;
  Ints lhs = getShape(node.getOperand(0)), rhs = getShape(node.getOperand(1));
  if (!checkDepth(node, lhs.back(), rhs.size() > 1 ? rhs[rhs.size() - 2] : rhs[0]))
    return false;
  llvm::Expected<nn::Shape> batch = nn::broadcastShapes(
      {lhs.drop_back(std::min<size_t>(lhs.size(), 2)), rhs.drop_back(std::min<size_t>(rhs.size(), 2))});
  if (!batch) {
    llvm::consumeError(batch.takeError());
    node.error() << "all axes but the last two must broadcast, but operands are " << describe(node.getOperand(0))
                 << " and " << describe(node.getOperand(1));
    return false;
  }
  batch->append({lhs.size() > 1 ? lhs[lhs.size() - 2] : 1, rhs.size() > 1 ? rhs.back() : 1});
  return node.checkFits(*batch);
}

/// NumPy's matmul: a vector on the left is a row, on the right a column, and that axis disappears again.
Value matmul(OperandBinder &node, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return {};
  int64_t lhsRank = getRank(lhs), rhsRank = getRank(rhs);
  if (lhsRank == 1)
    lhs = node.nn.reshape(lhs, {1, getShape(lhs)[0]});
  if (rhsRank == 1)
    rhs = node.nn.reshape(rhs, {getShape(rhs)[0], 1});
  Value product = node.nn.matmul(lhs, rhs);
  if (!product || (lhsRank > 1 && rhsRank > 1))
    return product;
  SmallVector<int64_t> shape(getShape(product));
  if (rhsRank == 1)
    shape.pop_back();
  if (lhsRank == 1)
    shape.erase(shape.end() - (rhsRank == 1 ? 1 : 2));
  return node.nn.reshape(product, shape);
}

void importMatMul(OperandBinder &node) {
  if (checkMatMul(node))
    node.setResult(matmul(node, node.getOperand(0), node.getOperand(1)));
}

/// alpha * op(A) * op(B) + beta * C
void importGemm(OperandBinder &node) {
  node.ignore({"broadcast"}); // before version 7: C may be smaller, as it always may since
  NnBuilder &nn = node.nn;
  Value a = node.getOperand(0), b = node.getOperand(1), c = node.getOperand(2);
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  bool transA = node.getFlag("transA", false), transB = node.getFlag("transB", false);
  if (!node.checkRank(0, 2, 2) || !node.checkRank(1, 2, 2))
    return;
  int64_t rows = getShape(a)[transA], columns = getShape(b)[!transB];
  if (!checkDepth(node, getShape(a)[!transA], getShape(b)[transB]) || !node.checkFits({rows, columns}) ||
      !node.checkBroadcastsTo(2, {rows, columns}, "the product"))
    return;
  if (transA)
    a = nn.transpose(a, {1, 0});
  if (transB)
    b = nn.transpose(b, {1, 0});
  Value result = nn.matmul(a, b);
  if (alpha != 1)
    result = nn.mul(result, alpha);
  if (c && beta != 1)
    c = nn.mul(c, beta);
  node.setResult(c ? nn.add(result, c) : result);
}

/// Reports an error unless the zero point of operand `index` broadcasts as centre() has it.
bool checkZeroPoint(OperandBinder &node, size_t index, size_t zeroPoint, int64_t axis) {
  Value zero = node.getOperand(zeroPoint);
  Ints shape = getShape(node.getOperand(index));
  if (!zero || getType(zero).getNumElements() == 1 || getRank(zero) > 1)
    return node.checkBroadcastsTo(zeroPoint, shape, node.nameOf(index));
  int64_t size = shape.size() < 2 ? shape.back() : shape[shape.size() - 2 + axis];
  return node.checkShape(zeroPoint, size,
                         axis == 0 ? "one element or one for each row" : "one element or one for each column");
}

/// The integers of operand `index` as i32, less the zero point of operand `zeroPoint`, which is a scalar or has one
/// element for each row (axis 0) or column (axis 1) of the matrices.
Value centre(OperandBinder &node, size_t index, size_t zeroPoint, int64_t axis) {
  NnBuilder &nn = node.nn;
  if (!checkZeroPoint(node, index, zeroPoint, axis))
    return {};
  Type i32 = nn.types().getI32Type();
  Value x = nn.cast(node.getOperand(index), i32);
  Value zero = node.getOperand(zeroPoint);
  if (!zero || !x)
    return x;
  zero = nn.cast(zero, i32);
  if (zero && getRank(zero) == 1)
    zero = nn.alignToAxis(zero, std::max<int64_t>(getRank(x) - 2 + axis, 0), getRank(x));
  return nn.sub(x, zero);
}

void importMatMulInteger(OperandBinder &node) {
  if (checkMatMul(node))
    node.setResult(matmul(node, centre(node, 0, 2, /*axis=*/0), centre(node, 1, 3, /*axis=*/1)));
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

void importEinsum(OperandBinder &node) {
  llvm::Expected<EinsumTerms> terms =
      parseEinsum(node.getString("equation", ""), llvm::map_to_vector(node.getOperands(), getShape));
  if (!terms) {
    node.error() << "attribute 'equation' " << llvm::toString(terms.takeError());
    return;
  }
  if (node.checkFits(terms->shape))
    node.setResult(einsum(node.nn, *terms, node.getOperands()));
}

void importDet(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 2))
    return;
  int64_t size = getShape(x).back();
  if (getShape(x).end()[-2] == size && size <= maxDeterminant)
    node.setResult(determinant(node.nn, x));
  else
    node.error() << node.nameOf(0) << " must hold square matrices of " << maxDeterminant << " rows at most, but is "
                 << describe(x);
}

} // namespace

void registerContractions(ImportRegistry &registry) {
  registry.add("Det", 11, {{"X", Holds::Floats}}, importDet);
  registry.setLimit("Det", "more than 8 rows");
  registry.add("Einsum", 12, {{"Inputs...", Holds::Numbers, 'T'}}, importEinsum);
  registry.add("MatMul", 1, {{"A", Holds::Numbers, 'T'}, {"B", Holds::Numbers, 'T'}}, importMatMul);
  registry.add("Gemm", 1, {{"A", Holds::Numbers, 'T'}, {"B", Holds::Numbers, 'T'}, {"C?", Holds::Numbers, 'T'}},
               importGemm);
  registry.add("MatMulInteger", 10,
               {{"A", Holds::Bytes, 'A'},
                {"B", Holds::Bytes, 'B'},
                {"a_zero_point?", Holds::Bytes, 'A'},
                {"b_zero_point?", Holds::Bytes, 'B'}},
               importMatMulInteger);
}

} // namespace nacre::importer::onnx_format
