// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's activations as compositions of `nn` operators. The compiler fuses the compositions.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/onnx/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

void importLeakyRelu(OperandBinder &node) {
  node.setResult(node.nn.unary(UnaryKind::LeakyRelu, node.getOperand(0), node.getFloat("alpha", 0.01)));
}

void importElu(OperandBinder &node) {
  node.setResult(node.nn.unary(UnaryKind::Elu, node.getOperand(0), node.getFloat("alpha", 1)));
}

/// Computes gamma * elu(x, alpha).
void importSelu(OperandBinder &node) {
  bool isOld = node.getVersion() < 6;
  double alpha = node.getFloat("alpha", isOld ? 1.6732 : 1.67326319217681884765625);
  double gamma = node.getFloat("gamma", isOld ? 1.0507 : 1.05070102214813232421875);
  node.setResult(node.nn.mul(node.nn.unary(UnaryKind::Elu, node.getOperand(0), alpha), gamma));
}

/// Computes max(0, x) + min(0, alpha * (exp(x / alpha) - 1)), which is alpha * elu(x / alpha).
void importCelu(OperandBinder &node) {
  double alpha = node.getFloat("alpha", 1);
  Value scaled = node.nn.div(node.getOperand(0), alpha);
  node.setResult(node.nn.mul(node.nn.unary(UnaryKind::Elu, scaled, 1), alpha));
}

void importThresholdedRelu(OperandBinder &node) {
  Value x = node.getOperand(0);
  Value isAbove = node.nn.binary(BinaryKind::Greater, x, node.getFloat("alpha", 1));
  node.setResult(node.nn.select(isAbove, x, node.nn.scalar(x, 0)));
}

/// Aligns the slopes of PRelu before version 7, when there was one slope per channel.
Value alignSlope(OperandBinder &node, Value x, Value slope) {
  if (!node.checkShape(1, getShape(x)[1], "one slope for each channel"))
    return {};
  return node.nn.alignToAxis(slope, 1, getRank(x));
}

void importPRelu(OperandBinder &node) {
  Value x = node.getOperand(0);
  Value slope = node.getOperand(1);
  if (node.getVersion() < 7 && getRank(x) > 2 && getType(slope).getNumElements() > 1)
    slope = alignSlope(node, x, slope);
  else if (!node.checkBroadcastsTo(1, getShape(x), "the input"))
    return;
  if (!slope)
    return;
  Value isBelow = node.nn.binary(BinaryKind::Less, x, 0.0);
  node.setResult(node.nn.select(isBelow, node.nn.mul(x, slope), x));
}

void importHardSigmoid(OperandBinder &node) {
  double alpha = node.getFloat("alpha", 0.2), beta = node.getFloat("beta", 0.5);
  node.setResult(hardSigmoid(node.nn, node.getOperand(0), alpha, beta));
}

void importHardSwish(OperandBinder &node) {
  Value x = node.getOperand(0);
  node.setResult(node.nn.mul(x, hardSigmoid(node.nn, x, 1.0 / 6, 0.5)));
}

void importSwish(OperandBinder &node) { node.setResult(swish(node.nn, node.getOperand(0), node.getFloat("alpha", 1))); }

/// Multiplies operand 1 by the activated operand 0.
void importSwiGlu(OperandBinder &node) {
  if (node.checkShape(1, getShape(node.getOperand(0)), "that of the first operand"))
    node.setResult(node.nn.mul(swish(node.nn, node.getOperand(0), node.getFloat("alpha", 1)), node.getOperand(1)));
}

void importMish(OperandBinder &node) {
  Value x = node.getOperand(0);
  node.setResult(node.nn.mul(x, node.nn.unary(UnaryKind::Tanh, node.nn.unary(UnaryKind::Softplus, x))));
}

void importShrink(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  double bias = node.getFloat("bias", 0), lambda = node.getFloat("lambd", 0.5);
  Value above = nn.select(nn.binary(BinaryKind::Greater, x, lambda), nn.add(x, -bias), nn.scalar(x, 0));
  node.setResult(nn.select(nn.binary(BinaryKind::Less, x, -lambda), nn.add(x, bias), above));
}

void importGelu(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (node.getChoice("approximate", {"none", "tanh"}) == "none") {
    node.setResult(nn.unary(UnaryKind::Gelu, x));
    return;
  }
  node.setResult(geluByTanh(nn, x));
}

} // namespace

void registerActivations(ImportRegistry &registry) {
  const Signature floats{{"X", Holds::Floats}};
  registry.add("Celu", 12, floats, importCelu);
  registry.add("Elu", 1, floats, importElu);
  registry.add("Gelu", 20, floats, importGelu);
  registry.add("HardSigmoid", 1, floats, importHardSigmoid);
  registry.add("HardSwish", 14, floats, importHardSwish);
  registry.add("LeakyRelu", 1, floats, importLeakyRelu);
  registry.add("Mish", 18, floats, importMish);
  registry.add("PRelu", 1, {{"X", Holds::Numbers, 'T'}, {"slope", Holds::Numbers, 'T'}}, importPRelu);
  registry.add("Selu", 1, floats, importSelu);
  registry.add("Shrink", 9, {{"input", Holds::Numbers}}, importShrink);
  registry.add("SwiGLU", 28, {{"A", Holds::Floats, 'T'}, {"B", Holds::Floats, 'T'}}, importSwiGlu);
  registry.add("Swish", 24, floats, importSwish);
  registry.add("ThresholdedRelu", 1, floats, importThresholdedRelu);
}

} // namespace nacre::importer::onnx_format
