// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements QuantizedElementwise.h.

#include "compiler/import/tflite/quantized/QuantizedElementwise.h"

#include "compiler/import/tflite/quantized/FixedPointValues.h"
#include "compiler/import/tflite/quantized/QuantizedFunctions.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

using nn::BinaryKind;

/// Reports an error unless the operands and the result have one element type, of 8 or 16 bits.
static bool checkOneType(TfliteNode &node) {
  Type type = node.getResultElementType();
  const bool isSmall = type && (type.isInteger(8) || type.isSignlessInteger(16));
  if (isSmall && llvm::all_of(node->getOperands(), [&](Value operand) { return getElementType(operand) == type; }))
    return true;
  node.error() << "its operands and result must have the same 8- or 16-bit integer type, but do not";
  return false;
}

/// True for unsigned integers, whose reference kernels compute ratios of scales in single precision.
static bool isUnsigned(TfliteNode &node) { return getElementType(node.getOperand(0)).isUnsignedInteger(); }

/// Returns right shifts that bring 16-bit operands to the result's scale. Returns nullopt unless all scales are powers
/// of two and one operand already has the result's scale.
static std::optional<std::array<int, 2>> readShifts(TfliteNode &node, ArrayRef<OneScale> scales) {
  if (!node.getResultElementType().isSignlessInteger(16))
    return std::nullopt;
  SmallVector<int> powers;
  for (const OneScale &scale : scales) {
    std::optional<int> power = findPowerOfTwo(scale.scale);
    if (!power || scale.zero != 0)
      return std::nullopt;
    powers.push_back(*power);
  }
  const int lhs = powers[2] - powers[0], rhs = powers[2] - powers[1];
  if (std::min(lhs, rhs) != 0)
    return std::nullopt;
  return std::array<int, 2>{lhs, rhs};
}

/// Returns x / 2^shift for 16-bit integers.
static Value shiftRight(NnBuilder &nn, Value x, int shift) {
  Value wide = centre(nn, x, 0);
  return shift == 0 ? wide : divideAway(nn, wide, int64_t(1) << std::min(shift, 17));
}

/// Returns both operands, converted to the common scale of a sum.
static std::array<Value, 2> alignOperands(TfliteNode &node, const SumScales &scales, ArrayRef<OneScale> operands,
                                          int leftShift) {
  NnBuilder &nn = node.nn;
  auto rescale = [&](size_t operand, FixedPoint number) {
    Value x = centre(nn, node.getOperand(operand), operands[operand].zero);
    return multiply(nn, leftShift ? nn.mul(x, static_cast<double>(1 << leftShift)) : x, number);
  };
  Value lhs = rescale(0, scales.lhs);
  return {lhs, rescale(1, scales.rhs)};
}

void importQuantizedSum(TfliteNode &node, BinaryKind kind, bool byPowers) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> lhs = readOneScale(node, 0), rhs = readOneScale(node, 1), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, readActivation(node));
  if (failed(lhs) || failed(rhs) || failed(result) || failed(range) || !checkOneType(node))
    return;
  Type type = node.getResultElementType();
  if (std::optional<std::array<int, 2>> shifts = readShifts(node, {*lhs, *rhs, *result}); byPowers && shifts) {
    Value left = shiftRight(nn, node.getOperand(0), (*shifts)[0]);
    Value sum = nn.binary(kind, left, shiftRight(nn, node.getOperand(1), (*shifts)[1]));
    return node.setResult(saturate(nn, sum, 0, *range, type));
  }
  // These are the largest shifts with which sums fit into 32 bits.
  const int leftShift = type.isInteger(16) ? 15 : 20;
  SumScales scales = scalesOfSum(lhs->scale, rhs->scale, result->scale, leftShift);
  auto [left, right] = alignOperands(node, scales, {*lhs, *rhs}, leftShift);
  Value sum = nn.binary(kind, left, right);
  node.setResult(saturate(nn, multiply(nn, sum, scales.result), result->zero, *range, type));
}

void importQuantizedSquaredDifference(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> lhs = readOneScale(node, 0), rhs = readOneScale(node, 1), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(lhs) || failed(rhs) || failed(result) || failed(range) || !checkOneType(node))
    return;
  Type type = node.getResultElementType();
  // These are the largest shifts with which squares fit into 32 bits.
  const int leftShift = type.isInteger(16) ? 0 : 7;
  SumScales scales = scalesOfSquare(lhs->scale, rhs->scale, result->scale, leftShift);
  auto [left, right] = alignOperands(node, scales, {*lhs, *rhs}, leftShift);
  Value difference = nn.sub(left, right);
  Value scaled = multiply(nn, nn.mul(difference, difference), scales.result);
  node.setResult(saturate(nn, scaled, result->zero, *range, type));
}

void importQuantizedProduct(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> lhs = readOneScale(node, 0), rhs = readOneScale(node, 1), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, readActivation(node));
  if (failed(lhs) || failed(rhs) || failed(result) || failed(range) || !checkOneType(node))
    return;
  Value product = nn.mul(centre(nn, node.getOperand(0), lhs->zero), centre(nn, node.getOperand(1), rhs->zero));
  Value scaled = multiply(nn, product,
                          isUnsigned(node) ? scaleOfSlope(lhs->scale, rhs->scale, result->scale)
                                           : scaleOfProducts(lhs->scale, rhs->scale, result->scale));
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
  // For a negative slope, the reference rounds the product with the absolute slope, then negates it.
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
  const bool isSingle = isUnsigned(node);
  Value above = multiply(
      nn, x, isSingle ? scaleOfSlope(input->scale, 1, result->scale) : scaleBetween(input->scale, result->scale));
  Value below = multiply(nn, nn.mul(x, alpha),
                         isSingle ? scaleOfSlope(input->scale, slope->scale, result->scale)
                                  : scaleOfProducts(input->scale, slope->scale, result->scale));
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
    node.error() << node->nameOf(0) << " must have at most 32 bits, but is " << describe(node.getOperand(0));
    return;
  }
  Value scaled = multiply(nn, centre(nn, node.getOperand(0), input->zero), scaleBetween(input->scale, result->scale));
  node.setResult(saturate(nn, scaled, result->zero, *range, node.getResultElementType()));
}

void importQuantizedAbs(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range) || !checkOneType(node))
    return;
  Value distance = nn.unary(nn::UnaryKind::Abs, centre(nn, node.getOperand(0), input->zero));
  if (input->scale != result->scale)
    distance = multiply(nn, distance, scaleOfSlope(input->scale, 1, result->scale));
  node.setResult(saturate(nn, distance, result->zero, *range, node.getResultElementType()));
}

void importQuantizedClamp(TfliteNode &node, ArrayRef<Activation> activations) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range) || !checkOneType(node))
    return;
  for (Activation activation : activations) {
    FailureOr<IntegerRange> other = getRange(node, activation);
    if (succeeded(other))
      range = IntegerRange{std::max(range->low, other->low), std::min(range->high, other->high)};
  }
  // In this operator, the ratio of scales has single precision.
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
    node.error() << "to be compared, integers quantized with two scales must have 8 bits and scales below 1, but do "
                    "not; convert the model again";
    return false;
  }
  // Like the reference kernels, multiplies by 2^8, and then by the scale.
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
    if (getElementType(operand).isUnsignedInteger(8)) {
      operand = convertInSinglePrecision(node.nn, operand, *scale, *result);
      continue;
    }
    node.error() << node->nameOf(index) << " must have the scale and zero point of the result, but does "
                 << "not; convert the model again";
    return false;
  }
  return true;
}

} // namespace nacre::importer::tflite_format
