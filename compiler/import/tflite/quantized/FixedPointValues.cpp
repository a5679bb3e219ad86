// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How: 1. basic operations, 2. functions. If the reference saturates a sum, it is computed in 64 bits and clamped.

#include "compiler/import/tflite/quantized/FixedPointValues.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Tables.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

using nn::BinaryKind;
using nn::FixedPointRounding;

//===----------------------------------------------------------------------===//
// 1. Basic operations
//===----------------------------------------------------------------------===//

Value constant32(NnBuilder &nn, int64_t number) {
  return nn.splat(RankedTensorType::get({}, nn.types().getI32Type()), static_cast<double>(number));
}

Value divideAway(NnBuilder &nn, Value x, int64_t divisor) {
  if (!x)
    return {};
  const int64_t rounding = divisor / 2;
  Value half = nn.scalar(x, static_cast<double>(rounding)), less = nn.scalar(x, -static_cast<double>(rounding));
  Value nudged = nn.add(x, nn.select(nn.binary(BinaryKind::Less, x, 0.0), less, half));
  return nn.div(nudged, static_cast<double>(divisor));
}

Value countLeadingZeros(NnBuilder &nn, Value x) {
  // Finds the position of the leading bit. Each iteration determines one bit of the position.
  Value position = constant32(nn, 0);
  for (int bit = 4; bit >= 0; --bit) {
    Value isAbove = nn.binary(BinaryKind::GreaterEqual, x, static_cast<double>(int64_t(1) << (1 << bit)));
    Value step = nn.mul(nn.cast(isAbove, nn.types().getI32Type()), 1 << bit);
    position = nn.add(position, step);
    x = nn.binary(BinaryKind::ShiftRight, x, step);
  }
  return nn.sub(constant32(nn, 31), position);
}

/// Returns a * b / 2^31.
static Value multiplyHigh(NnBuilder &nn, Value a, Value b) {
  return nn.requantize(FixedPointRounding::Double, a, b, constant32(nn, 0));
}
static Value multiplyHigh(NnBuilder &nn, Value a, int32_t b) { return multiplyHigh(nn, a, constant32(nn, b)); }

/// Clamps to 32 bits.
static Value saturate32(NnBuilder &nn, Value wide) {
  return nn.cast(clamp(nn, wide, -2147483648.0, 2147483647.0), nn.types().getI32Type());
}

/// Returns x * 2^exponent, saturated.
static Value shiftLeft(NnBuilder &nn, Value x, int exponent) {
  return saturate32(nn, nn.mul(nn.cast(x, nn.types().getI64Type()), static_cast<double>(1 << exponent)));
}

//===----------------------------------------------------------------------===//
// 2. Functions
//===----------------------------------------------------------------------===//

Value reciprocalOfOnePlus(NnBuilder &nn, Value x) {
  Type i32 = nn.types().getI32Type(), i64 = nn.types().getI64Type();
  // (x + (2^31 - 1) + 1) / 2, which is not negative.
  Value half = nn.cast(nn.div(nn.add(nn.cast(x, i64), 2147483648.0), 2), i32);
  Value quotient = nn.add(multiplyHigh(nn, half, -1010580540), constant32(nn, 1515870810));
  for (int iteration = 0; iteration < 3; ++iteration) {
    Value rest = nn.sub(constant32(nn, 1 << 29), multiplyHigh(nn, half, quotient));
    quotient = nn.add(quotient, shiftLeft(nn, multiplyHigh(nn, quotient, rest), 2));
  }
  return shiftLeft(nn, quotient, 1);
}

/// Returns the exponent of the power of two in the logarithm's operand, in Q6, plus `quarter`.
static Value powerOf(NnBuilder &nn, Value headroom, int32_t quarter) {
  return nn.add(nn.mul(nn.sub(constant32(nn, 12), headroom), static_cast<double>(1 << 25)),
                static_cast<double>(quarter));
}

/// Splits x into r * 2^power, with r around sqrt(sqrt(1/2)), which is the better of two candidates. log(r) is
/// approximated by a quotient of polynomials.
Value logarithm(NnBuilder &nn, Value x) {
  constexpr int32_t sqrtHalf = 1518500250, center = 1805811301, log2 = 1488522236, quarter = 1 << 23;
  constexpr int32_t numerator = 117049297, square = 127690142, constant = 1057819769, linear = 638450708;
  Type i64 = nn.types().getI64Type();
  Value headroom = countLeadingZeros(nn, x);
  Value first = nn.binary(BinaryKind::ShiftLeft, x, nn.add(headroom, -1));
  first = shiftLeft(nn, multiplyHigh(nn, first, sqrtHalf), 1);
  Value smaller = nn.add(countLeadingZeros(nn, multiplyHigh(nn, x, sqrtHalf)), -1);
  Value second = saturate32(nn, nn.binary(BinaryKind::ShiftLeft, nn.cast(x, i64), nn.cast(smaller, i64)));
  Value r = nn.binary(BinaryKind::Min, first, second);
  Value power = nn.binary(BinaryKind::Max, powerOf(nn, headroom, quarter), powerOf(nn, smaller, -quarter));

  // (r + center + 1) / 2, and twice the difference.
  Value sum = nn.add(nn.cast(r, i64), static_cast<double>(center) + 1);
  Value p = nn.cast(nn.div(sum, 2), nn.types().getI32Type());
  Value q = nn.mul(nn.add(r, -static_cast<double>(center)), 2);
  Value q2 = multiplyHigh(nn, q, q);
  Value above = nn.add(multiplyHigh(nn, q, r), multiplyHigh(nn, multiplyHigh(nn, q, q2), numerator));
  Value inner = nn.add(nn.add(q, static_cast<double>(constant)), multiplyHigh(nn, q2, square));
  Value below = nn.add(multiplyHigh(nn, p, inner), multiplyHigh(nn, q, linear));
  Value quotient = multiplyHigh(nn, divideAway(nn, above, 1 << 6), reciprocalOfOnePlus(nn, below));
  return shiftLeft(nn, nn.add(multiplyHigh(nn, power, log2), quotient), 1);
}

FixedPointValue reciprocalRoot(NnBuilder &nn, Value x) {
  Type i32 = nn.types().getI32Type();
  Value isSmall = nn.binary(BinaryKind::LessEqual, x, 1.0);
  Value isLarge = nn.binary(BinaryKind::GreaterEqual, x, static_cast<double>(1 << 29));
  // Scales x to [2^27, 2^29) by powers of four, then halves it.
  Value small = nn.binary(BinaryKind::Max, nn.select(isLarge, nn.div(x, 4), x), 2.0);
  Value pairs = nn.add(nn.div(nn.add(countLeadingZeros(nn, small), -1), 2), -1);
  Value input = nn.div(nn.binary(BinaryKind::ShiftLeft, small, nn.mul(pairs, 2)), 2);
  Value half = divideAway(nn, input, 2), root = constant32(nn, 1 << 28);
  for (int iteration = 0; iteration < 5; ++iteration) {
    Value cube = shiftLeft(nn, multiplyHigh(nn, multiplyHigh(nn, root, root), root), 6);
    Value next = nn.sub(multiplyHigh(nn, root, 3 << 27), multiplyHigh(nn, half, cube));
    root = shiftLeft(nn, next, 3);
  }
  root = multiplyHigh(nn, root, 1518500250);
  // A left shift is applied to the multiplier, because the result only supports right shifts.
  Value shift = nn.sub(pairs, nn.add(nn.cast(isLarge, i32), 11));
  root = nn.binary(BinaryKind::ShiftLeft, root, nn.binary(BinaryKind::Max, shift, 0.0));
  shift = nn.binary(BinaryKind::Min, shift, 0.0);
  return {nn.select(isSmall, constant32(nn, INT32_MAX), root), nn.select(isSmall, constant32(nn, 0), shift)};
}

Value interpolate16(NnBuilder &nn, const Entries16 &entries, Value x) {
  auto type = RankedTensorType::get(static_cast<int64_t>(entries.size()), nn.types().getI32Type());
  Value table = makeTable<int64_t>(nn, type, [&](int64_t index) { return int64_t(entries[index]); });
  Value steps = nn.add(x, 32768), index = nn.div(steps, 128), offset = nn.sub(steps, nn.mul(index, 128));
  Value here = nn.gather(table, index, 0), next = nn.gather(table, nn.add(index, 1), 0);
  // Divides by 128, and rounds x.5 up.
  Value between = nn.requantize(FixedPointRounding::Single, nn.mul(nn.sub(next, here), offset), constant32(nn, 1 << 24),
                                constant32(nn, 0));
  return nn.add(here, between);
}

} // namespace nacre::importer::tflite_format
