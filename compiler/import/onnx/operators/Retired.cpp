// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that ONNX first had as experiments, and later removed. Exporters of that time wrote them.

#include "compiler/import/onnx/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::UnaryKind;

/// Computes alpha * x + beta.
void importAffine(OperandBinder &node) {
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 0);
  node.setResult(node.nn.add(node.nn.mul(node.getOperand(0), alpha), beta));
}

void importScale(OperandBinder &node) { node.setResult(node.nn.mul(node.getOperand(0), node.getFloat("scale", 1))); }

/// Computes scale * x plus a bias for each channel.
void importImageScaler(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  double scale = node.getFloat("scale", 1);
  SmallVector<double> bias = node.getFloats("bias");
  if (!node.checkRank(0, 2))
    return;
  if (static_cast<int64_t>(bias.size()) != getShape(x)[1]) {
    node.error() << "attribute 'bias' must have one number for each of the " << getShape(x)[1] << " channels of "
                 << describe(x) << ", but has " << bias.size();
    return;
  }
  auto type = RankedTensorType::get(static_cast<int64_t>(bias.size()), nn.types().getF64Type());
  Value biases = nn.cast(nn.constant(DenseElementsAttr::get(type, ArrayRef<double>(bias))), getElementType(x));
  node.setResult(nn.add(nn.mul(x, scale), nn.alignToAxis(biases, 1, getRank(x))));
}

/// Crops rows and columns by a border (left, top, right, bottom). If a size is given, it starts at left and top.
void importCrop(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 4, 4))
    return;
  SmallVector<int64_t> border = node.getSizes("border", 4, 0, 0), scale = node.getInts("scale");
  int64_t rows = getShape(x)[2], columns = getShape(x)[3], left = border[0], top = border[1];
  int64_t height = rows - top - border[3], width = columns - left - border[2];
  if (scale.size() == 2) {
    height = scale[0];
    width = scale[1];
  }
  bool isInside = height >= 0 && width >= 0 && top <= rows - height && left <= columns - width;
  if (!isInside || (scale.size() != 2 && !scale.empty())) {
    node.error() << "attributes 'border' and 'scale' must leave some of " << describe(x) << ", but are ["
                 << Ints(border) << "] and [" << Ints(scale) << "]";
    return;
  }
  if (!node.hasFailed())
    node.setResult(node.nn.slice(node.nn.slice(x, 2, top, height), 3, left, width));
}

/// Computes alpha * log(exp(beta * x) + 1).
void importParametricSoftplus(OperandBinder &node) {
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  node.setResult(node.nn.mul(node.nn.unary(UnaryKind::Softplus, node.nn.mul(node.getOperand(0), beta)), alpha));
}

/// Computes alpha * tanh(beta * x).
void importScaledTanh(OperandBinder &node) {
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  node.setResult(node.nn.mul(node.nn.unary(UnaryKind::Tanh, node.nn.mul(node.getOperand(0), beta)), alpha));
}

} // namespace

void registerRetired(ImportRegistry &registry) {
  const Signature floats{{"input", Holds::Floats}};
  registry.add("Affine", 1, floats, importAffine);
  registry.add("Crop", 1, floats, importCrop);
  registry.add("ImageScaler", 1, floats, importImageScaler);
  registry.add("ParametricSoftplus", 1, floats, importParametricSoftplus);
  registry.add("Scale", 1, floats, importScale);
  registry.add("ScaledTanh", 1, floats, importScaledTanh);
}

} // namespace nacre::importer::onnx_format
