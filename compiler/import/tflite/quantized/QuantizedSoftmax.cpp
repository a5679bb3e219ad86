// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SOFTMAX of integers of 8 bits in integers alone, as the reference kernel computes it.
//
// How:  1. the distance of each element from the largest of its row is one of 256, so that its exponential is an entry of a table,
//       2. the sum of these, normalized: shifted to the left until its first bit is set,
//       3. its reciprocal, by Newton's iteration on integers,
//       4. exponential times reciprocal, shifted back and rounded.

#include "compiler/import/tflite/quantized/QuantizedSoftmax.h"

#include "compiler/import/tflite/quantized/FixedPointFunctions.h"
#include "compiler/import/tflite/quantized/QuantizedFunctions.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::BinaryKind;
using nn::FixedPointRounding;
using nn::ReduceKind;

constexpr int accumulationBits = 12; ///< before the point, of a sum of exponentials

/// The exponentials of distances -255 to 0, in Q0 and as they are added up; 0 where they are too far.
struct Exponentials {
  SmallVector<int32_t> entries, addends;
};

Exponentials makeExponentials(float scale, float beta) {
  constexpr int integerBits = 5;
  const double limit = 2147483647.0;
  FixedPoint number = nn::toFixedPoint(
      std::min(static_cast<double>(beta) * static_cast<double>(scale) * (1 << (31 - integerBits)), limit));
  const int32_t radius = getInputRadius(integerBits, number.shift);
  Exponentials result;
  for (int32_t distance = -255; distance <= 0; ++distance) {
    int32_t entry = 0;
    if (distance >= -radius)
      entry = expOfNegative(nn::requantize(FixedPointRounding::Double, distance, number), integerBits);
    result.entries.push_back(entry);
    result.addends.push_back(nn::divideByPower(entry, accumulationBits));
  }
  return result;
}

Value constant32(NnBuilder &nn, int64_t number) {
  return nn.splat(RankedTensorType::get({}, nn.types().getI32Type()), static_cast<double>(number));
}

/// a * b / 2^31 of integers that are computed.
Value multiplyHigh(NnBuilder &nn, Value a, Value b) {
  return nn.requantize(FixedPointRounding::Double, a, b, constant32(nn, 0));
}

/// How many bits before the first one that is set; x is above 0.
Value countLeadingZeros(NnBuilder &nn, Value x) {
  Value count = constant32(nn, 0);
  for (int bit = 1; bit < 31; ++bit)
    count = nn.add(count, nn.cast(nn.binary(BinaryKind::Less, x, static_cast<double>(int64_t(1) << bit)),
                                  nn.types().getI32Type()));
  return nn.add(count, 1);
}

/// 1 / (1 + x) of x in [0, 1), in Q0 (reciprocalOfOnePlus). Intermediate sums have 64 bits where they are saturated.
Value reciprocalOfOnePlus(NnBuilder &nn, Value x) {
  Type i32 = nn.types().getI32Type(), i64 = nn.types().getI64Type();
  auto shiftLeft = [&](Value value, int exponent) {
    Value wide = nn.mul(nn.cast(value, i64), static_cast<double>(1 << exponent));
    wide = nn.binary(BinaryKind::Max, nn.binary(BinaryKind::Min, wide, 2147483647.0), -2147483648.0);
    return nn.cast(wide, i32);
  };
  // (x + (2^31 - 1) + 1) / 2, which is not below 0.
  Value half = nn.cast(nn.div(nn.add(nn.cast(x, i64), 2147483648.0), 2), i32);
  Value quotient = nn.add(multiplyHigh(nn, half, constant32(nn, -1010580540)), constant32(nn, 1515870810));
  for (int iteration = 0; iteration < 3; ++iteration) {
    Value rest = nn.sub(constant32(nn, 1 << 29), multiplyHigh(nn, half, quotient));
    quotient = nn.add(quotient, shiftLeft(multiplyHigh(nn, quotient, rest), 2));
  }
  return shiftLeft(quotient, 1);
}

} // namespace

void importQuantizedSoftmax(TfliteNode &node, float beta) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  Type type = node.getResultElementType(), i32 = nn.types().getI32Type();
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range))
    return;
  const bool fits = type.isInteger(8) || type.isInteger(16);
  const int bits = fits ? static_cast<int>(type.getIntOrFloatBitWidth()) : 8;
  if (!fits || !getElementType(x).isInteger(8) || result->zero != range->low || !(beta > 0) ||
      std::fabs(std::ldexp(result->scale, bits) - 1) > 0.001F) {
    node.error()
        << "integers must be of 8 bits, the result's by 1/256 and the least as zero point (or by 1/65536 in 16), and "
           "attribute 'beta' above 0, but are not; convert the model again";
    return;
  }
  const int64_t axis = getRank(x) - 1;
  Value wide = nn.cast(x, i32);
  Value distance = nn.sub(wide, nn.reduce(ReduceKind::Max, wide, axis, /*keepDims=*/true));
  Exponentials exponentials = makeExponentials(input->scale, beta);
  Value terms = lookUp(nn, distance, -255, exponentials.entries, i32);
  Value sum =
      nn.reduce(ReduceKind::Sum, lookUp(nn, distance, -255, exponentials.addends, i32), axis, /*keepDims=*/true);
  Value headroom = countLeadingZeros(nn, sum);
  // The first bit is shifted out: what is left is the sum less one, over the power of two.
  Value rest = nn.binary(BinaryKind::ShiftLeft, sum, headroom);
  rest = nn.binary(BinaryKind::Xor, rest, constant32(nn, INT32_MIN));
  Value reciprocal = reciprocalOfOnePlus(nn, rest);
  // 2^(accumulationBits - headroom) and the bits of the result make the shift.
  Value shift = nn.sub(headroom, constant32(nn, accumulationBits + 31 - bits));
  Value scaled = nn.requantize(FixedPointRounding::Double, terms, reciprocal, shift);
  node.setResult(saturate(nn, scaled, range->low, *range, type));
}

} // namespace nacre::importer::tflite_format
