// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that optimizers made of a product and what stood beside it.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/onnx/contrib/Handlers.h"

#include "dialects/nn/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {
namespace {

/// Operand `index` as matrices along its last two axes. `isBatchLast`: its axis before the last belongs in front of the
/// others, which is where the batch is; `isTransposed`: then the last two change places.
Value orderAxes(OperandBinder &node, size_t index, bool isTransposed, bool isBatchLast) {
  Value x = node.getOperand(index);
  if (!node.checkRank(index, isTransposed || isBatchLast ? 2 : 1))
    return {};
  if (!isTransposed && !isBatchLast)
    return x;
  SmallVector<int64_t> permutation = axisRange(0, getRank(x));
  auto last = permutation.end() - 1;
  if (isBatchLast)
    std::rotate(permutation.begin(), permutation.begin() + 1, last);
  if (isTransposed)
    std::swap(*last, *(last - 1));
  return node.nn.transpose(x, permutation);
}

/// NumPy's matmul of tensors of two axes at least; null after an error.
Value multiply(OperandBinder &node, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return {};
  Ints l = getShape(lhs), r = getShape(rhs);
  if (l.size() < 2 || r.size() < 2 || l.back() != r[r.size() - 2]) {
    node.error()
        << "operands must be matrices, and the first have as many columns as the second has rows, but as they are "
           "multiplied they are "
        << describe(lhs) << " and " << describe(rhs);
    return {};
  }
  llvm::Expected<nn::Shape> shape = nn::broadcastShapes({l.drop_back(2), r.drop_back(2)});
  if (!shape) {
    llvm::consumeError(shape.takeError());
    node.error() << "all axes but the last two must broadcast, but as operands are multiplied they are "
                 << describe(lhs) << " and " << describe(rhs);
    return {};
  }
  shape->append({l[l.size() - 2], r.back()});
  return node.checkFits(*shape) ? node.nn.matmul(lhs, rhs) : Value();
}

/// alpha * op(A) * op(B)
void importFusedMatMul(OperandBinder &node) {
  Value lhs = orderAxes(node, 0, node.getFlag("transA", false), node.getFlag("transBatchA", false));
  Value rhs = orderAxes(node, 1, node.getFlag("transB", false), node.getFlag("transBatchB", false));
  double alpha = node.getFloat("alpha", 1);
  if (Value product = multiply(node, lhs, rhs))
    node.setResult(node.nn.mul(product, alpha));
}

/// GELU by tanh of a product and a bias.
void importGemmFastGelu(OperandBinder &node) {
  Value product = multiply(node, node.getOperand(0), node.getOperand(1)), bias = node.getOperand(2);
  if (!product || !node.checkShape(2, getShape(product).back(), "one element for each column"))
    return;
  node.setResult(geluByTanh(node.nn, bias ? node.nn.add(product, bias) : product));
}

} // namespace

void registerContractions(ImportRegistry &registry) {
  const Signature factors{{"A", Holds::Floats, 'T'}, {"B", Holds::Floats, 'T'}};
  registry.add("FusedMatMul", 1, factors, importFusedMatMul);
  registry.add("GemmFastGelu", 1, {{"X", Holds::Floats, 'T'}, {"W", Holds::Floats, 'T'}, {"bias?", Holds::Floats, 'T'}},
               importGemmFastGelu);
  registry.add("TransposeMatMul", 1, factors, importFusedMatMul);
}

} // namespace nacre::importer::onnx_format::contrib
