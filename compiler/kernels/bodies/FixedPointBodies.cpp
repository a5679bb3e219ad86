// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has three parts: 1. products that are rounded twice; 2. products that are rounded once; 3. ranges of
// constants.

#include "compiler/kernels/bodies/FixedPointBodies.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/FixedPoint.h"
#include "dialects/plan/ScalarOps.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

Value toWide(Scalars s, Value x) {
  Type wide = s.builder.getI64Type();
  return x.getType() == wide ? x : s.make<arith::ExtSIOp>(wide, x);
}

Value toNarrow(Scalars s, Value x) {
  Type narrow = s.builder.getI32Type();
  return x.getType() == narrow ? x : s.make<arith::TruncIOp>(narrow, x);
}

//===----------------------------------------------------------------------===//
// 1. Rounding twice
//===----------------------------------------------------------------------===//

/// Emits a * b / 2^31, rounded to nearest. The definition adds a term with the sign of the product and truncates. This
/// equals rounding halves up.
Value multiplyHigh(Scalars s, Value a, Value b, const FixedPointRange &range) {
  constexpr int32_t half = 1 << 30;
  if (range.leastMultiplier == half && range.greatestMultiplier == half) {
    Value one = s.like(a, 1);
    return s.make<arith::AddIOp>(s.make<arith::ShRSIOp>(a, one), s.make<arith::AndIOp>(a, one));
  }
  // Only INT32_MIN * INT32_MIN does not fit.
  return s.make<plan::MultiplyHighOp>(a.getType(), a, b, /*saturates=*/range.leastMultiplier == INT32_MIN);
}

/// Emits x / 2^exponent, with halves rounded away from zero.
Value divideByPower(Scalars s, Value x, Value exponent) {
  Value zero = s.like(x, 0), one = s.like(x, 1);
  Value mask = s.make<arith::SubIOp>(s.make<arith::ShLIOp>(one, exponent), one);
  Value isNegative = s.compare(arith::CmpIPredicate::slt, x, zero);
  Value half = s.make<arith::ShRSIOp>(mask, one);
  Value threshold = s.make<arith::AddIOp>(half, s.select(isNegative, one, zero));
  Value isMore = s.compare(arith::CmpIPredicate::sgt, s.make<arith::AndIOp>(x, mask), threshold);
  return s.make<arith::AddIOp>(s.make<arith::ShRSIOp>(x, exponent), s.select(isMore, one, zero));
}

/// Emits x / 2^exponent, with halves rounded away from zero. `exponent` must be at least 1. `x` must be between -(2^31
/// - 1) and 2^31 - 2. Subtracting 1 from negative values lets rounding halves up round them away from zero.
Value divideByPositivePower(Scalars s, Value x, Value exponent) {
  Value one = s.like(x, 1);
  Value below = s.make<arith::AddIOp>(x, s.make<arith::ShRSIOp>(x, s.like(x, 31)));
  return s.make<plan::ShiftHalfUpOp>(x.getType(), below, s.make<arith::SubIOp>(exponent, one));
}

Value emitDouble(Scalars s, Value x, Value multiplier, Value shift, const FixedPointRange &range) {
  Value zero = s.like(shift, 0), shifted = toNarrow(s, x);
  if (range.greatestShift > 0)
    shifted = s.make<arith::ShLIOp>(shifted, s.make<arith::MaxSIOp>(shift, zero));
  Value high = multiplyHigh(s, shifted, multiplier, range);
  if (range.leastShift >= 0)
    return high;
  Value right = s.make<arith::SubIOp>(zero, shift);
  if (range.greatestShift < 0 && range.leastMultiplier >= 0)
    return divideByPositivePower(s, high, right);
  return divideByPower(s, high, range.greatestShift > 0 ? s.make<arith::MaxSIOp>(right, zero) : right);
}

//===----------------------------------------------------------------------===//
// 2. Rounding once
//===----------------------------------------------------------------------===//

/// Emits a multiplier of 31 bits, rounded to 15 bits.
Value toMultiplier16(Scalars s, Value multiplier) {
  Value half = s.make<arith::AddIOp>(multiplier, s.like(multiplier, 1 << 15));
  Value rounded = s.make<arith::ShRSIOp>(half, s.like(multiplier, 16));
  Value fits = s.compare(arith::CmpIPredicate::slt, multiplier, s.like(multiplier, 0x7FFF0000));
  return s.select(fits, rounded, s.like(multiplier, 0x7FFF));
}

/// Emits x * multiplier / 2^(bits - shift), with halves rounded up.
Value emitOnce(Scalars s, Value x, Value multiplier, int bits, Value shift) {
  Value places = toWide(s, s.make<arith::SubIOp>(s.like(shift, bits), shift));
  Value one = s.like(places, 1);
  Value half = s.make<arith::ShLIOp>(one, s.make<arith::SubIOp>(places, one));
  Value product = s.make<arith::MulIOp>(toWide(s, x), toWide(s, multiplier));
  return toNarrow(s, s.make<arith::ShRSIOp>(s.make<arith::AddIOp>(product, half), places));
}

} // namespace

//===----------------------------------------------------------------------===//
// 3. Ranges
//===----------------------------------------------------------------------===//

static std::optional<std::pair<int32_t, int32_t>> readRange(Value tensor) {
  auto constant = tensor.getDefiningOp<nn::ConstantOp>();
  FailureOr<nn::ConstantView> view = failure();
  if (constant)
    view = nn::ConstantView::get(constant.getValue());
  if (failed(view) || view->getType().getNumElements() == 0)
    return std::nullopt;
  SmallVector<int64_t> numbers(view->isSplat() ? 1 : view->getType().getNumElements());
  view->read(0, 1, int64_t(numbers.size()), numbers.data());
  auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  return std::pair(int32_t(*least), int32_t(*greatest));
}

FixedPointRange readFixedPointRange(nn::RequantizeOp op) {
  FixedPointRange range;
  if (auto multipliers = readRange(op.getMultiplier()))
    std::tie(range.leastMultiplier, range.greatestMultiplier) = *multipliers;
  if (auto shifts = readRange(op.getShift()))
    std::tie(range.leastShift, range.greatestShift) = *shifts;
  return range;
}

Value emitRequantize(Scalars s, nn::FixedPointRounding rounding, Value x, Value multiplier, Value shift,
                     const FixedPointRange &range) {
  // Machines give different results for larger shifts.
  const int32_t mostShift = nn::getMaxShift(rounding);
  Value bounded = range.greatestShift > mostShift ? s.make<arith::MinSIOp>(shift, s.like(shift, mostShift)) : shift;
  if (range.leastShift < -31)
    bounded = s.make<arith::MaxSIOp>(bounded, s.like(shift, -31));
  switch (rounding) {
  case nn::FixedPointRounding::Double:
    return emitDouble(s, x, multiplier, bounded, range);
  case nn::FixedPointRounding::Single:
    return emitOnce(s, x, multiplier, 31, bounded);
  case nn::FixedPointRounding::Mult16:
    return emitOnce(s, x, toMultiplier16(s, multiplier), 15, bounded);
  }
  llvm_unreachable("all ways of rounding are above");
}

} // namespace nacre::kernels
