// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products.

#include "compiler/import/compositions/Einsum.h"
#include "compiler/import/compositions/SmallMatrices.h"
#include "compiler/import/onnx/operands/Products.h"
#include "compiler/import/onnx/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Returns the product in the type of the factors, in which narrow integers wrap.
Value multiply(NnBuilder &nn, Value lhs, Value rhs) {
  Value product = nn.matmul(lhs, rhs);
  return product ? nn.cast(product, getElementType(lhs)) : Value();
}

void importMatMul(OperandBinder &node) {
  FailureOr<Factors> factors = readFactors(node, 0, 1);
  if (succeeded(factors))
    node.setResult(node.nn.reshape(multiply(node.nn, factors->lhs, factors->rhs), factors->shape));
}

/// Computes alpha * op(A) * op(B) + beta * C.
void importGemm(OperandBinder &node) {
  node.ignore({"broadcast"}); // before version 7, this attribute was necessary for C to broadcast
  NnBuilder &nn = node.nn;
  Value a = node.getOperand(0), b = node.getOperand(1), c = node.getOperand(2);
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  bool transA = node.getFlag("transA", false), transB = node.getFlag("transB", false);
  if (!node.checkRank(0, 2, 2) || !node.checkRank(1, 2, 2))
    return;
  int64_t rows = getShape(a)[transA], columns = getShape(b)[!transB];
  if (!checkDepth(node, 0, getShape(a)[!transA], 1, getShape(b)[transB]) || !node.checkFits({rows, columns}) ||
      !node.checkBroadcastsTo(2, {rows, columns}, "the product"))
    return;
  if (transA)
    a = nn.transpose(a, {1, 0});
  if (transB)
    b = nn.transpose(b, {1, 0});
  Value result = multiply(nn, a, b);
  if (alpha != 1)
    result = nn.mul(result, alpha);
  if (c && beta != 1)
    c = nn.mul(c, beta);
  node.setResult(c ? nn.add(result, c) : result);
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
  if (getShape(x).end()[-2] == size && size <= mostMatrixRows)
    node.setResult(determinant(node.nn, x));
  else
    node.error() << node.nameOf(0) << " must hold square matrices of at most " << mostMatrixRows << " rows, but is "
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
}

} // namespace nacre::importer::onnx_format
