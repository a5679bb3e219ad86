// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products into which optimizers fused neighbouring operators.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/contrib/Handlers.h"
#include "compiler/import/onnx/operators/Convolutions.h"

#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {
namespace {

using nn::UnaryKind;

/// Returns operand `index` as matrices along its last two axes. With `isBatchLast`, the axis before the last comes from
/// the front, so that the batch is first. With `isTransposed`, the last two axes are swapped afterwards.
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

/// Multiplies like NumPy's matmul. A vector `lhs` is a row, a vector `rhs` is a column, and the product does not have
/// that axis. Returns null after an error.
Value multiply(OperandBinder &node, Value lhs, Value rhs) {
  if (!lhs || !rhs || !node.checkRank(0, 1) || !node.checkRank(1, 1))
    return {};
  SmallVector<int64_t> l(getShape(lhs)), r(getShape(rhs));
  bool isRow = l.size() == 1, isColumn = r.size() == 1;
  if (isRow)
    l.insert(l.begin(), 1);
  if (isColumn)
    r.push_back(1);
  if (l.back() != r[r.size() - 2]) {
    node.error()
        << "the first operand must have as many columns as the second has rows, but after transposition they are "
        << describe(lhs) << " and " << describe(rhs);
    return {};
  }
  llvm::Expected<nn::Shape> shape = nn::broadcastShapes({Ints(l).drop_back(2), Ints(r).drop_back(2)});
  if (!shape) {
    llvm::consumeError(shape.takeError());
    node.error() << "all axes but the last two must broadcast, but after transposition they are " << describe(lhs)
                 << " and " << describe(rhs);
    return {};
  }
  if (!isRow)
    shape->push_back(l[l.size() - 2]);
  if (!isColumn)
    shape->push_back(r.back());
  if (!node.checkFits(*shape))
    return {};
  return node.nn.reshape(node.nn.matmul(node.nn.reshape(lhs, l), node.nn.reshape(rhs, r)), *shape);
}

/// Computes alpha * op(A) * op(B), where op may transpose the operand.
void importFusedMatMul(OperandBinder &node) {
  Value lhs = orderAxes(node, 0, node.getFlag("transA", false), node.getFlag("transBatchA", false));
  Value rhs = orderAxes(node, 1, node.getFlag("transB", false), node.getFlag("transBatchB", false));
  double alpha = node.getFloat("alpha", 1);
  if (Value product = multiply(node, lhs, rhs))
    node.setResult(node.nn.mul(product, alpha));
}

/// Applies FusedConv's activation to its sum. Returns null after an error.
Value activate(OperandBinder &node, Value x) {
  NnBuilder &nn = node.nn;
  StringRef activation = node.getString("activation", "");
  SmallVector<double> params = node.getFloats("activation_params");
  size_t wanted = activation == "LeakyRelu" ? 1 : activation == "Clip" || activation == "HardSigmoid" ? 2 : 0;
  if (params.size() != wanted) {
    node.error() << "attribute 'activation_params' must have " << describeCount(wanted, "element") << " for '"
                 << activation << "', but has " << params.size();
    return {};
  }
  if (activation.empty())
    return x;
  if (activation == "Clip")
    return clamp(nn, x, params[0], params[1]);
  if (activation == "HardSigmoid")
    return hardSigmoid(nn, x, params[0], params[1]);
  if (activation == "LeakyRelu")
    return nn.unary(UnaryKind::LeakyRelu, x, params[0]);
  for (auto [name, kind] : {std::pair("Relu", UnaryKind::Relu), std::pair("Sigmoid", UnaryKind::Sigmoid),
                            std::pair("Tanh", UnaryKind::Tanh)})
    if (activation == name)
      return nn.unary(kind, x);
  node.error() << "attribute 'activation' must be Relu, Sigmoid, Tanh, LeakyRelu, Clip or HardSigmoid, but is '"
               << activation << "'; export the model without it";
  return {};
}

/// Imports the standard's convolution plus operand 3, followed by an activation.
void importFusedConv(OperandBinder &node) {
  importConv(node);
  Value y = node.getResult(0), z = node.getOperand(3);
  if (!y || !node.checkShape(3, getShape(y), "that of the convolution"))
    return;
  node.setResult(activate(node, z ? node.nn.add(y, z) : y));
}

/// Imports GELU, approximated by tanh, of the sum of a product and a bias.
void importGemmFastGelu(OperandBinder &node) {
  Value product = multiply(node, node.getOperand(0), node.getOperand(1)), bias = node.getOperand(2);
  if (!product || (bias && !node.checkBroadcastsTo(2, getShape(product), "the product")))
    return;
  node.setResult(geluByTanh(node.nn, bias ? node.nn.add(product, bias) : product));
}

} // namespace

void registerContractions(ImportRegistry &registry) {
  const Signature factors{{"A", Holds::Floats, 'T'}, {"B", Holds::Floats, 'T'}};
  registry.add(
      "FusedConv", 1,
      {{"X", Holds::Floats, 'T'}, {"W", Holds::Floats, 'T'}, {"B?", Holds::Floats, 'T'}, {"Z?", Holds::Floats, 'T'}},
      importFusedConv);
  registry.add("FusedMatMul", 1, factors, importFusedMatMul);
  registry.add("GemmFastGelu", 1, {{"X", Holds::Floats, 'T'}, {"W", Holds::Floats, 'T'}, {"bias?", Holds::Floats, 'T'}},
               importGemmFastGelu);
  registry.add("TransposeMatMul", 1, factors, importFusedMatMul);
}

} // namespace nacre::importer::onnx_format::contrib
