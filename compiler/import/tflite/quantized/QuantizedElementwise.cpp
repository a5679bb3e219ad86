// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of integers that stand for reals.

#include "compiler/import/tflite/quantized/QuantizedElementwise.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

using nn::BinaryKind;

/// Reports an error unless the operands and the result have one element type, of 8 or 16 bits.
static bool checkOneType(TfliteNode &node) {
  Type type = node.getResultElementType();
  const bool isSmall = type && (type.isInteger(8) || type.isSignlessInteger(16));
  if (isSmall && llvm::all_of(node->getOperands(), [&](Value operand) { return getElementType(operand) == type; }))
    return true;
  node.error() << "its operands and result must be integers of one type, of 8 or 16 bits, but are not";
  return false;
}

void importQuantizedSum(TfliteNode &node, BinaryKind kind) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> lhs = readOneScale(node, 0), rhs = readOneScale(node, 1), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, readActivation(node));
  if (failed(lhs) || failed(rhs) || failed(result) || failed(range) || !checkOneType(node))
    return;
  // As far as 32 bits reach.
  const int leftShift = node.getResultElementType().isInteger(16) ? 15 : 20;
  SumScales scales = scalesOfSum(lhs->scale, rhs->scale, result->scale, leftShift);
  auto rescale = [&](size_t operand, int64_t zero, FixedPoint number) {
    Value x = centre(nn, node.getOperand(operand), zero);
    return multiply(nn, nn.mul(x, static_cast<double>(1 << leftShift)), number);
  };
  Value sum = nn.binary(kind, rescale(0, lhs->zero, scales.lhs), rescale(1, rhs->zero, scales.rhs));
  node.setResult(saturate(nn, multiply(nn, sum, scales.result), result->zero, *range, node.getResultElementType()));
}

void importQuantizedProduct(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> lhs = readOneScale(node, 0), rhs = readOneScale(node, 1), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, readActivation(node));
  if (failed(lhs) || failed(rhs) || failed(result) || failed(range) || !checkOneType(node))
    return;
  Value product = nn.mul(centre(nn, node.getOperand(0), lhs->zero), centre(nn, node.getOperand(1), rhs->zero));
  Value scaled = multiply(nn, product, scaleOfProducts(lhs->scale, rhs->scale, result->scale));
  node.setResult(saturate(nn, scaled, result->zero, *range, node.getResultElementType()));
}

void importQuantizedLeakyRelu(TfliteNode &node, float alpha) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range) || !checkOneType(node))
    return;
  Value x = centre(nn, node.getOperand(0), input->zero);
  FixedPoint slope = scaleOfSlope(input->scale, alpha, result->scale);
  // Rounded as of a slope above zero.
  const bool isFalling = slope.multiplier < 0;
  Value below = multiply(nn, x, {isFalling ? -slope.multiplier : slope.multiplier, slope.shift});
  if (isFalling)
    below = nn.unary(nn::UnaryKind::Neg, below);
  Value above = multiply(nn, x, scaleOfSlope(input->scale, 1, result->scale));
  Value y = nn.select(nn.binary(BinaryKind::GreaterEqual, x, 0.0), above, below);
  node.setResult(saturate(nn, y, result->zero, *range, node.getResultElementType()));
}

void importQuantizedPRelu(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> input = readOneScale(node, 0), slope = readOneScale(node, 1), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(slope) || failed(result) || failed(range) || !checkOneType(node))
    return;
  Value x = centre(nn, node.getOperand(0), input->zero), alpha = centre(nn, node.getOperand(1), slope->zero);
  Value above = multiply(nn, x, scaleBetween(input->scale, result->scale));
  Value below = multiply(nn, nn.mul(x, alpha), scaleOfProducts(input->scale, slope->scale, result->scale));
  Value y = nn.select(nn.binary(BinaryKind::GreaterEqual, x, 0.0), above, below);
  node.setResult(saturate(nn, y, result->zero, *range, node.getResultElementType()));
}

void importRequantize(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range))
    return;
  if (getElementType(node.getOperand(0)).getIntOrFloatBitWidth() > 32) {
    node.error() << node->nameOf(0) << " must be of 32 bits at most, but is " << describe(node.getOperand(0));
    return;
  }
  Value scaled = multiply(nn, centre(nn, node.getOperand(0), input->zero), scaleBetween(input->scale, result->scale));
  node.setResult(saturate(nn, scaled, result->zero, *range, node.getResultElementType()));
}

void importQuantizedClamp(TfliteNode &node, Activation activation) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, activation);
  if (failed(input) || failed(result) || failed(range) || !checkOneType(node))
    return;
  // The ratio is taken in single precision here.
  Value scaled =
      multiply(nn, centre(nn, node.getOperand(0), input->zero), scaleOfSlope(input->scale, 1, result->scale));
  node.setResult(saturate(nn, scaled, result->zero, *range, node.getResultElementType()));
}

bool alignScales(TfliteNode &node, Value &lhs, Value &rhs) {
  const Quantization *left = node.getQuantization(0), *right = node.getQuantization(1);
  if (!left || !right || *left == *right)
    return node.checkSameQuantization();
  FailureOr<OneScale> ofLeft = readOneScale(node, 0), ofRight = readOneScale(node, 1);
  if (failed(ofLeft) || failed(ofRight))
    return false;
  if (!getElementType(lhs).isInteger(8) || ofLeft->scale >= 1 || ofRight->scale >= 1) {
    node.error() << "integers that stand for reals by two scales must be of 8 bits, and the scales below 1, to be "
                    "compared, but are not; convert the model again";
    return false;
  }
  // As the reference kernels: with 8 bits more, times the scale itself.
  auto rescale = [&](Value x, const OneScale &by) {
    Value fine = node.nn.mul(centre(node.nn, x, by.zero), 256);
    return multiply(node.nn, fine, nn::toFixedPoint(static_cast<double>(by.scale)));
  };
  lhs = rescale(lhs, *ofLeft);
  rhs = rescale(rhs, *ofRight);
  return lhs && rhs;
}

bool rescaleToResult(TfliteNode &node, SmallVectorImpl<Value> &operands) {
  FailureOr<OneScale> result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(result) || failed(range))
    return false;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    FailureOr<OneScale> scale = readOneScale(node, index);
    if (failed(scale))
      return false;
    if (scale->scale == result->scale && scale->zero == result->zero)
      continue;
    node.error() << node->nameOf(index)
                 << " must stand for reals by the scale and the zero point of the result, but does "
                 << "not; convert the model again";
    return false;
  }
  return true;
}

} // namespace nacre::importer::tflite_format
