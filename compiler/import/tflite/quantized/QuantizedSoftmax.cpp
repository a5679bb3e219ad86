// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. 8 bits: the distance of an element from the largest of its row has 256 values, so its exponential is an
//          entry of a table. The sum of exponentials is shifted left until its leading bit is set. Its reciprocal is
//          computed by Newton's iteration on integers. The result is the product of exponential and reciprocal, shifted
//          back and rounded,
//       2. 16 bits: the exponential and the reciprocal are interpolated between entries of tables,
//       3. the logarithm of 8 bits: the distance minus the logarithm of the sum.

#include "compiler/import/tflite/quantized/QuantizedSoftmax.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/tflite/quantized/FixedPointFunctions.h"
#include "compiler/import/tflite/quantized/FixedPointValues.h"
#include "compiler/import/tflite/quantized/QuantizedFunctions.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::BinaryKind;
using nn::FixedPointRounding;
using nn::ReduceKind;

constexpr int integerBits = 5;       ///< number of bits before the point in distances
constexpr int accumulationBits = 12; ///< number of bits before the point in sums of exponentials

/// Returns the factor that converts distances of integers to Q(integerBits).
FixedPoint scaleDistances(float scale, float beta) {
  const double limit = 2147483647.0;
  return nn::toFixedPoint(
      std::min(static_cast<double>(beta) * static_cast<double>(scale) * (1 << (31 - integerBits)), limit));
}

/// Returns the exponentials of distances -255 to 0 in Q0; 0 for distances that are too large.
SmallVector<int32_t> makeExponentials(float scale, float beta) {
  FixedPoint number = scaleDistances(scale, beta);
  const int32_t radius = getInputRadius(integerBits, number.shift);
  SmallVector<int32_t> entries;
  for (int32_t distance = -255; distance <= 0; ++distance)
    entries.push_back(distance < -radius
                          ? 0
                          : expOfNegative(nn::requantize(FixedPointRounding::Double, distance, number), integerBits));
  return entries;
}

/// Returns exponentials as terms of the sum: without their last `accumulationBits` bits, and rounded (x.5 up).
Value makeAddends(NnBuilder &nn, Value exponentials) {
  auto shifted = [&](int bits) { return nn.binary(BinaryKind::ShiftRight, exponentials, bits); };
  return nn.add(shifted(accumulationBits), nn.binary(BinaryKind::And, shifted(accumulationBits - 1), 1));
}

/// Returns the elements minus the largest of their row.
Value makeDistances(NnBuilder &nn, Value x) {
  Value wide = nn.cast(x, nn.types().getI32Type());
  return nn.sub(wide, nn.reduce(ReduceKind::Max, wide, getRank(x) - 1, /*keepDims=*/true));
}

/// Returns the sums along the last axis, which is kept with size 1.
Value addUp(NnBuilder &nn, Value x) {
  return x ? nn.reduce(ReduceKind::Sum, x, getRank(x) - 1, /*keepDims=*/true) : Value();
}

//===----------------------------------------------------------------------===//
// 1. 8 bits
//===----------------------------------------------------------------------===//

void importOf8Bits(TfliteNode &node, float inputScale, float beta, IntegerRange range, int bits) {
  NnBuilder &nn = node.nn;
  Type i32 = nn.types().getI32Type();
  Value distance = makeDistances(nn, node.getOperand(0));
  Value terms = lookUp(nn, distance, -255, makeExponentials(inputScale, beta), i32);
  Value sum = addUp(nn, makeAddends(nn, terms));
  Value headroom = countLeadingZeros(nn, sum);
  // Without its leading bit, the sum is sum / 2^power - 1 in Q0.
  Value rest = nn.binary(BinaryKind::ShiftLeft, sum, headroom);
  rest = nn.binary(BinaryKind::Xor, rest, constant32(nn, INT32_MIN));
  Value reciprocal = reciprocalOfOnePlus(nn, rest);
  // The shift combines the scale of the sum, 2^(accumulationBits - headroom), and the number of bits of the result.
  Value shift = nn.sub(headroom, constant32(nn, accumulationBits + 31 - bits));
  Value scaled = nn.requantize(FixedPointRounding::Double, terms, reciprocal, shift);
  node.setResult(saturate(nn, scaled, range.low, range, node.getResultElementType()));
}

//===----------------------------------------------------------------------===//
// 2. 16 bits
//===----------------------------------------------------------------------===//

void importOf16Bits(TfliteNode &node, float inputScale, float beta) {
  NnBuilder &nn = node.nn;
  constexpr double codes = 65535, farthest = 10; // exp(x) is 0 for x < -farthest
  constexpr int32_t least = INT16_MIN, most = INT16_MAX;
  const Scale16<double> unit{2 / codes, 0};
  const Entries16 exponentials =
      makeEntries16<double>({farthest / codes, most}, unit, [](double x) { return std::exp(x); });
  const Entries16 reciprocals = makeEntries16<double>({1 / codes, least}, unit, [](double x) { return 1 / (1 + x); });

  const double scale = static_cast<double>(inputScale) * static_cast<double>(beta) / (farthest / codes);
  Value distance = multiply(nn, makeDistances(nn, node.getOperand(0)), nn::toFixedPoint(scale));
  Value terms = interpolate16(nn, exponentials, clamp(nn, nn.add(distance, most), least, most));
  Value sum = addUp(nn, terms), headroom = countLeadingZeros(nn, sum);
  // Computes sum / 2^power - 1. 17 of 31 bits of the shifted sum are kept, and 16 bits of these remain after the
  // subtraction.
  Value shifted = nn.binary(BinaryKind::ShiftLeft, sum, nn.add(headroom, -1));
  shifted = multiply(nn, shifted, {1 << 17, 0}, FixedPointRounding::Single);
  Value rest = clamp(nn, nn.add(shifted, -((1 << 15) + (1 << 16))), least, most);
  Value product = nn.mul(terms, interpolate16(nn, reciprocals, rest));
  Value shift = nn.sub(headroom, constant32(nn, 30));
  Value scaled = nn.requantize(FixedPointRounding::Single, product, constant32(nn, 1 << 30), shift);
  node.setResult(saturate(nn, scaled, 0, {0, most}, node.getResultElementType()));
}

} // namespace

void importQuantizedSoftmax(TfliteNode &node, float beta) {
  Value x = node.getOperand(0);
  Type type = node.getResultElementType();
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range))
    return;
  const bool fits = type.isInteger(8) || type.isInteger(16), isWide = getElementType(x).isSignlessInteger(16);
  const int bits = fits ? static_cast<int>(type.getIntOrFloatBitWidth()) : 8, fractionalBits = isWide ? 15 : bits;
  const bool hasScale = std::fabs(std::ldexp(result->scale, fractionalBits) - 1) <= 0.001F && beta > 0;
  if (isWide && type == getElementType(x) && input->zero == 0 && result->zero == 0 && hasScale)
    return importOf16Bits(node, input->scale, beta);
  if (fits && getElementType(x).isInteger(8) && result->zero == range->low && hasScale)
    return importOf8Bits(node, input->scale, beta, *range, bits);
  node.error() << "integers must have 8 bits with the result's scale 1/256 and lowest zero point (1/65536 for a 16-bit "
                  "result), or 16 bits with zero points 0 and the result's scale 1/32768, and attribute 'beta' must be "
                  "positive, but they do not; convert the model again";
}

//===----------------------------------------------------------------------===//
// 3. The logarithm
//===----------------------------------------------------------------------===//

void importQuantizedLogSoftmax(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  Type type = node.getResultElementType(), i32 = nn.types().getI32Type(), i64 = nn.types().getI64Type();
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range))
    return;
  constexpr float leastScale = 0x1p-25F;
  if (!type.isInteger(8) || getElementType(x) != type || result->zero != range->high || result->scale != 1.0F / 16 ||
      input->scale < leastScale) {
    node.error() << "integers must have 8 bits, and the result must have the scale 1/16 and the highest zero point, "
                    "but they do not; convert the model again";
    return;
  }
  const FixedPoint number = scaleDistances(input->scale, /*beta=*/1);
  const double perStep = std::ldexp(1.0, 31 - number.shift) / static_cast<double>(number.multiplier);
  const int32_t radius = getInputRadius(integerBits, number.shift);
  SmallVector<int32_t> steps;
  for (int32_t distance = -255; distance <= 0; ++distance)
    steps.push_back(nn::requantize(FixedPointRounding::Double, distance, number));
  Value distance = makeDistances(nn, x);
  Value exponentials = lookUp(nn, distance, -255, makeExponentials(input->scale, /*beta=*/1), i32);
  Value log = logarithm(nn, addUp(nn, makeAddends(nn, exponentials)));
  // For distances below `farthest`, the difference from the logarithm would exceed 32 bits.
  Value farthest = multiply(nn, nn.add(log, -2147483648.0), nn::toFixedPoint(perStep));
  farthest = nn.binary(BinaryKind::Max, farthest, -static_cast<double>(radius) - 1);
  Value difference = nn.sub(nn.cast(lookUp(nn, distance, -255, steps, i32), i64), nn.cast(log, i64));
  Value y = nn.cast(divideAway(nn, difference, 1 << 22), i32);
  y = nn.select(nn.binary(BinaryKind::Greater, distance, farthest), y, constant32(nn, -256));
  node.setResult(saturate(nn, y, result->zero, *range, type));
}

} // namespace nacre::importer::tflite_format
