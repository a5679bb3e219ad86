// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products.

#include "compiler/import/onnx/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// NumPy's matmul: a vector on the left is a row, on the right a column, and that axis disappears again.
Value matmul(OperandBinder &node, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return {};
  int64_t lhsRank = getRank(lhs), rhsRank = getRank(rhs);
  if (lhsRank == 0 || rhsRank == 0) {
    node.error() << "operands must have at least one axis";
    return {};
  }
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

void importMatMul(OperandBinder &node) { node.setResult(matmul(node, node.getOperand(0), node.getOperand(1))); }

/// alpha * op(A) * op(B) + beta * C
void importGemm(OperandBinder &node) {
  node.ignore({"broadcast"}); // before version 7: C may be smaller, as it always may since
  NnBuilder &nn = node.nn;
  Value a = node.getOperand(0), b = node.getOperand(1), c = node.getOperand(2);
  if (getRank(a) != 2 || getRank(b) != 2) {
    node.error() << "operands 0 and 1 must be matrices, but are " << getType(a) << " and " << getType(b);
    return;
  }
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  if (node.getFlag("transA", false))
    a = nn.transpose(a, {1, 0});
  if (node.getFlag("transB", false))
    b = nn.transpose(b, {1, 0});
  Value result = nn.matmul(a, b);
  if (alpha != 1)
    result = nn.mul(result, alpha);
  if (c && beta != 1)
    c = nn.mul(c, beta);
  node.setResult(c ? nn.add(result, c) : result);
}

/// The integers of operand `index` as i32, less the zero point of operand `zeroPoint`, which is a scalar or has one
/// element for each of `axis`.
Value centre(OperandBinder &node, size_t index, size_t zeroPoint, int64_t axis) {
  NnBuilder &nn = node.nn;
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
  node.setResult(matmul(node, centre(node, 0, 2, /*axis=*/0), centre(node, 1, 3, /*axis=*/1)));
}

} // namespace

void registerContractions(ImportRegistry &registry) {
  registry.add("MatMul", 1, {2, 2}, importMatMul);
  registry.add("Gemm", 6, {2, 3}, importGemm);
  registry.add("MatMulInteger", 10, {2, 4}, importMatMulInteger);
}

} // namespace nacre::importer::onnx_format
