// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations along the last axis.

#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/operators/Reals.h"
#include "compiler/import/tflite/quantized/QuantizedNormalization.h"
#include "compiler/import/tflite/quantized/QuantizedSoftmax.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::ReduceKind;
using nn::UnaryKind;

void importSoftmax(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  const double beta = node->getFloat("beta", 0);
  if (!node->checkRank(0, 1))
    return;
  if (node.isQuantized())
    return importQuantizedSoftmax(node, static_cast<float>(beta));
  Value x = node.getOperand(0);
  if (!checkReals(node))
    return;
  node.setResult(nn.softmax(beta == 1 ? x : nn.mul(x, beta), getRank(x) - 1, /*log=*/false));
}

void importLogSoftmax(TfliteNode &node) {
  if (!node->checkRank(0, 1))
    return;
  if (node.isQuantized())
    return importQuantizedLogSoftmax(node);
  if (checkReals(node))
    node.setResult(node.nn.softmax(node.getOperand(0), getRank(node.getOperand(0)) - 1, /*log=*/true));
}

/// Imports L2_NORMALIZATION: x divided by the root of the sum of squares. The sum is at least 1e-6.
void importL2Normalization(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  if (!node->checkRank(0, 1) || readActivation(node) != Activation::None) {
    if (!node->hasFailed())
      node.error() << "attribute 'fused_activation_function' must be 0, but is not";
    return;
  }
  if (node.isQuantized())
    return importQuantizedL2Normalization(node);
  if (!checkReals(node))
    return;
  Value x = node.getOperand(0);
  Value sum = nn.reduce(ReduceKind::Sum, nn.mul(x, x), getRank(x) - 1, /*keepDims=*/true);
  Value norm = nn.binary(nn::BinaryKind::Max, nn.unary(UnaryKind::Sqrt, sum), 1e-6);
  node.setResult(nn.div(x, norm));
}

/// Imports LOCAL_RESPONSE_NORMALIZATION: x / (bias + alpha * sum of squares)^beta. The sum is over 2 * radius + 1
/// channels. Unlike in other formats, alpha is not divided by the number of channels.
void importLrn(TfliteNode &node) {
  const int64_t radius = node->getInt("radius", 0);
  const double alpha = node->getFloat("alpha", 0), beta = node->getFloat("beta", 0), bias = node->getFloat("bias", 0);
  if (!node->checkRank(0, 4, 4))
    return;
  if (radius < 0 || radius > INT32_MAX / 4) {
    node.error() << "attribute 'radius' must be 0 or more, but is " << radius;
    return;
  }
  const int64_t size = 2 * radius + 1;
  node.setResult(node.nn.lrn(node.getOperand(0), size, alpha * static_cast<double>(size), beta, bias));
}

} // namespace

void registerNormalizations(ImportRegistry &registry) {
  const Signature number{{"x", Holds::Numbers}};
  add(registry, "SOFTMAX", Integers::Computed, number, importSoftmax);
  add(registry, "LOG_SOFTMAX", Integers::Computed, number, importLogSoftmax);
  add(registry, "L2_NORMALIZATION", Integers::Computed, number, importL2Normalization);
  add(registry, "LOCAL_RESPONSE_NORMALIZATION", Integers::Plain, {{"x", Holds::Floats}}, importLrn);
}

} // namespace nacre::importer::tflite_format
