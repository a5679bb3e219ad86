// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of features, and their scores for targets or classes.

#include "compiler/import/onnx/classical/Scores.h"

using namespace mlir;

namespace nacre::importer::onnx_format::classical {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

Value readRows(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 1, 2))
    return {};
  const int64_t width = getShape(x).back(), count = getRank(x) == 1 ? 1 : getShape(x)[0];
  if (count * width > INT32_MAX) {
    node.error() << node.nameOf(0) << " must have at most " << INT32_MAX << " elements, but is " << describe(x);
    return {};
  }
  Type type = getElementType(x).isF64() ? getElementType(x) : Type(node.nn.types().getF32Type());
  return node.nn.reshape(node.nn.cast(x, type), {count, width});
}

Value makeNumbers(NnBuilder &nn, ArrayRef<double> numbers, Ints shape, Type type) {
  if (!nn.allowsConstant(static_cast<int64_t>(numbers.size()), sizeof(double)))
    return {};
  return nn.cast(nn.constant(DenseElementsAttr::get(RankedTensorType::get(shape, nn.types().getF64Type()), numbers)),
                 type);
}

/// Returns the softmax along the last axis. Elements near 0 are excluded from the sum, and their results are not
/// exponentiated.
static Value softmaxOfNonzero(NnBuilder &nn, Value x) {
  Value most = nn.reduce(ReduceKind::Max, x, 1, /*keepDims=*/true);
  Value isZero = nn.binary(BinaryKind::LessEqual, nn.unary(UnaryKind::Abs, x), 1e-7);
  Value power = nn.select(isZero, nn.scalar(x, 0), nn.unary(UnaryKind::Exp, nn.sub(x, most)));
  Value small = nn.mul(x, nn.unary(UnaryKind::Exp, nn.unary(UnaryKind::Neg, most)));
  Value sum = nn.reduce(ReduceKind::Sum, power, 1, /*keepDims=*/true);
  return nn.div(nn.select(isZero, small, power), sum);
}

/// Returns sqrt(2) * the inverse error function of 2 x - 1, with ONNX Runtime's approximation (Winitzki).
static Value probit(NnBuilder &nn, Value x) {
  constexpr double a = 0.147, pi = 3.14159;
  Value y = nn.add(nn.mul(x, 2), -1);
  Value log = nn.unary(UnaryKind::Log, nn.mul(nn.sub(nn.scalar(y, 1), y), nn.add(y, 1)));
  Value half = nn.add(nn.mul(log, 0.5), 2 / (pi * a));
  Value root = nn.unary(UnaryKind::Sqrt, nn.sub(nn.mul(half, half), nn.mul(log, 1 / a)));
  Value magnitude = nn.unary(UnaryKind::Sqrt, nn.sub(root, half));
  Value sign = nn.select(nn.binary(BinaryKind::Less, y, 0.0), nn.scalar(y, -1), nn.scalar(y, 1));
  return nn.mul(nn.mul(sign, magnitude), 1.41421356);
}

Value transform(NnBuilder &nn, StringRef name, Value scores) {
  if (name == "SOFTMAX")
    return nn.softmax(scores, 1, /*log=*/false);
  if (name == "LOGISTIC")
    return nn.unary(UnaryKind::Sigmoid, scores);
  if (name == "SOFTMAX_ZERO")
    return softmaxOfNonzero(nn, scores);
  return name == "PROBIT" ? probit(nn, scores) : scores;
}

bool checkTransform(OperandBinder &node, StringRef name, int64_t targets) {
  if (targets > 1 || name == "NONE" || name == "PROBIT")
    return true;
  node.error() << "attribute 'post_transform' must be NONE or PROBIT for one target, but is " << name
               << ", which ONNX and ONNX Runtime define differently; set post_transform to NONE and add a Sigmoid or "
                  "Softmax node after this one";
  return false;
}

Value findLargest(NnBuilder &nn, Value scores) {
  return nn.argReduce(nn::ArgKind::Max, scores, 1, /*keepDims=*/false, /*selectLast=*/false);
}

Value findAbove(NnBuilder &nn, Value score, double threshold) {
  Value isAbove = nn.binary(BinaryKind::Greater, score, threshold);
  return isAbove ? nn.reshape(nn.cast(isAbove, nn.types().getI64Type()), {getShape(score)[0]}) : Value();
}

} // namespace nacre::importer::onnx_format::classical
