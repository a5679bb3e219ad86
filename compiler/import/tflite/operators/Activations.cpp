// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations. For 8-bit quantized integers, they are tables with an entry for each of the 256 integers.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/operators/Reals.h"
#include "compiler/import/tflite/quantized/QuantizedElementwise.h"
#include "compiler/import/tflite/quantized/QuantizedFunctions.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

void importReluFromMinus1(TfliteNode &node) {
  if (node.isQuantized())
    return importQuantizedClamp(node, Activation::ReluN1To1);
  node.setResult(clamp(node.nn, node.getOperand(0), -1, 1));
}

void importReluTo1(TfliteNode &node) {
  if (node.isQuantized())
    return importQuantizedClamp(node, {Activation::Relu, Activation::ReluN1To1});
  if (checkReals(node))
    node.setResult(clamp(node.nn, node.getOperand(0), 0, 1));
}

void importLeakyRelu(TfliteNode &node) {
  const double alpha = node->getFloat("alpha", 0);
  if (node.isQuantized())
    return importQuantizedLeakyRelu(node, static_cast<float>(alpha));
  if (checkReals(node))
    node.setResult(node.nn.unary(UnaryKind::LeakyRelu, node.getOperand(0), alpha));
}

void importPRelu(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), slope = node.getOperand(1);
  if (!node->checkBroadcastsTo(1, getShape(x), "the input"))
    return;
  if (node.isQuantized())
    return importQuantizedPRelu(node);
  node.setResult(nn.select(nn.binary(BinaryKind::Less, x, 0.0), nn.mul(x, slope), x));
}

void importElu(TfliteNode &node) {
  if (node.isQuantized())
    return importTabulated(node, [](float x) { return x < 0 ? std::exp(x) - 1 : x; });
  if (checkReals(node))
    node.setResult(node.nn.unary(UnaryKind::Elu, node.getOperand(0), 1));
}

void importHardSwish(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (node.isQuantized())
    return importQuantizedHardSwish(node);
  if (checkReals(node))
    node.setResult(nn.mul(x, hardSigmoid(nn, x, 1.0 / 6, 0.5)));
}

float exactGelu(float x) { return 0.5F * x * std::erfc(x * -0.70710678F); }

float approximateGelu(float x) {
  const float cube = 0.044715F * x * x * x, sum = x + cube;
  return 0.5F * x * (1 + std::tanh(0.79788456F * sum));
}

void importGelu(TfliteNode &node) {
  Value x = node.getOperand(0);
  const bool isApproximate = node->getFlag("approximate", false);
  if (node.isQuantized())
    return importTabulated(node, isApproximate ? approximateGelu : exactGelu);
  if (checkReals(node))
    node.setResult(isApproximate ? geluByTanh(node.nn, x) : node.nn.unary(UnaryKind::Gelu, x));
}

} // namespace

void registerActivations(ImportRegistry &registry) {
  const Signature number{{"x", Holds::Numbers}};
  add(registry, "RELU_N1_TO_1", Integers::Computed, number, importReluFromMinus1);
  add(registry, "RELU_0_TO_1", Integers::Computed, number, importReluTo1);
  add(registry, "LEAKY_RELU", Integers::Computed, number, importLeakyRelu);
  add(registry, "PRELU", Integers::Computed, {{"x", Holds::Numbers, 'T'}, {"alpha", Holds::Numbers, 'T'}}, importPRelu);
  add(registry, "ELU", Integers::Computed, number, importElu);
  add(registry, "HARD_SWISH", Integers::Computed, number, importHardSwish);
  add(registry, "GELU", Integers::Computed, number, importGelu);
}

} // namespace nacre::importer::tflite_format
