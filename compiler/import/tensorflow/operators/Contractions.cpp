// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products.

#include "compiler/import/compositions/Einsum.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// Returns `x` with the last two axes exchanged.
Value transposed(NnBuilder &nn, Value x) {
  SmallVector<int64_t> order = axisRange(0, getRank(x));
  std::swap(order.end()[-1], order.end()[-2]);
  return nn.transpose(x, order);
}

void multiply(OperandBinder &node, bool transposesLhs, bool transposesRhs, int64_t mostAxes) {
  NnBuilder &nn = node.nn;
  if (!node.checkRank(0, 2, mostAxes) || !node.checkRank(1, 2, mostAxes))
    return;
  Value lhs = node.getOperand(0), rhs = node.getOperand(1);
  if (transposesLhs)
    lhs = transposed(nn, lhs);
  if (transposesRhs)
    rhs = transposed(nn, rhs);
  if (!lhs || !rhs || !checkRule(node, nn::matMulShape(getShape(lhs), getShape(rhs))))
    return;
  // Narrow integers wrap around.
  Value product = nn.matmul(lhs, rhs);
  node.setResult(product ? nn.cast(product, getElementType(lhs)) : Value());
}

void importMatMul(OperandBinder &node) {
  node.ignore({"a_is_sparse", "b_is_sparse", "grad_a", "grad_b"});
  multiply(node, node.getFlag("transpose_a", false), node.getFlag("transpose_b", false), 2);
}

void importBatchMatMul(OperandBinder &node) {
  node.ignore({"grad_x", "grad_y"});
  multiply(node, node.getFlag("adj_x", false), node.getFlag("adj_y", false), maxRank);
}

void importEinsum(OperandBinder &node) {
  node.ignore({"N"});
  llvm::Expected<EinsumTerms> terms =
      parseEinsum(node.getString("equation", ""), llvm::map_to_vector(node.getOperands(), getShape));
  if (!terms) {
    node.error() << "attribute 'equation' " << llvm::toString(terms.takeError());
    return;
  }
  if (node.checkFits(terms->shape))
    node.setResult(einsum(node.nn, *terms, node.getOperands()));
}

} // namespace

void registerContractions(ImportRegistry &registry) {
  const Signature factors{{"a", Holds::Numbers, 'T'}, {"b", Holds::Numbers, 'T'}};
  registry.add("MatMul", 1, factors, importMatMul);
  for (const char *op : {"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"})
    registry.add(op, 1, factors, importBatchMatMul);
  registry.add("Einsum", 1, {{"inputs...", Holds::Numbers, 'T'}}, importEinsum);
}

} // namespace nacre::importer::tensorflow_format
