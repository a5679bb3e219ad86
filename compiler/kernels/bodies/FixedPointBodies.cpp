// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. rounding twice; 2. rounding once.

#include "compiler/kernels/bodies/FixedPointBodies.h"

#include "dialects/nn/FixedPoint.h"

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
// 1. Twice
//===----------------------------------------------------------------------===//

/// a * b / 2^31. The definition rounds to the nearest by the product's sign and truncates, which is to round halves up.
Value multiplyHigh(Scalars s, Value a, Value b) {
  Value product = s.make<arith::MulIOp>(toWide(s, a), toWide(s, b));
  Value nudged = s.make<arith::AddIOp>(product, s.like(product, double(int64_t(1) << 30)));
  Value high = s.make<arith::ShRSIOp>(nudged, s.like(product, 31));
  return toNarrow(s, s.make<arith::MinSIOp>(high, s.like(high, INT32_MAX)));
}

/// x / 2^exponent, halves away from zero.
Value divideByPower(Scalars s, Value x, Value exponent) {
  Value zero = s.like(x, 0), one = s.like(x, 1);
  Value mask = s.make<arith::SubIOp>(s.make<arith::ShLIOp>(one, exponent), one);
  Value isNegative = s.compare(arith::CmpIPredicate::slt, x, zero);
  Value half = s.make<arith::ShRSIOp>(mask, one);
  Value threshold = s.make<arith::AddIOp>(half, s.select(isNegative, one, zero));
  Value isMore = s.compare(arith::CmpIPredicate::sgt, s.make<arith::AndIOp>(x, mask), threshold);
  return s.make<arith::AddIOp>(s.make<arith::ShRSIOp>(x, exponent), s.select(isMore, one, zero));
}

Value emitDouble(Scalars s, Value x, Value multiplier, Value shift) {
  Value zero = s.like(shift, 0);
  Value left = s.make<arith::MaxSIOp>(shift, zero);
  Value right = s.make<arith::MaxSIOp>(s.make<arith::SubIOp>(zero, shift), zero);
  Value high = multiplyHigh(s, s.make<arith::ShLIOp>(toNarrow(s, x), left), multiplier);
  return divideByPower(s, high, right);
}

//===----------------------------------------------------------------------===//
// 2. Once
//===----------------------------------------------------------------------===//

/// A multiplier of 31 bits as one of 15.
Value toMultiplier16(Scalars s, Value multiplier) {
  Value half = s.make<arith::AddIOp>(multiplier, s.like(multiplier, 1 << 15));
  Value rounded = s.make<arith::ShRSIOp>(half, s.like(multiplier, 16));
  Value fits = s.compare(arith::CmpIPredicate::slt, multiplier, s.like(multiplier, 0x7FFF0000));
  return s.select(fits, rounded, s.like(multiplier, 0x7FFF));
}

/// x * multiplier / 2^(bits - shift)
Value emitOnce(Scalars s, Value x, Value multiplier, int bits, Value shift) {
  Value places = toWide(s, s.make<arith::SubIOp>(s.like(shift, bits), shift));
  Value one = s.like(places, 1);
  Value half = s.make<arith::ShLIOp>(one, s.make<arith::SubIOp>(places, one));
  Value product = s.make<arith::MulIOp>(toWide(s, x), toWide(s, multiplier));
  return toNarrow(s, s.make<arith::ShRSIOp>(s.make<arith::AddIOp>(product, half), places));
}

} // namespace

Value emitRequantize(Scalars s, nn::FixedPointRounding rounding, Value x, Value multiplier, Value shift) {
  // Machines disagree on shifts by more.
  Value bounded = s.make<arith::MinSIOp>(shift, s.like(shift, nn::getMaxShift(rounding)));
  bounded = s.make<arith::MaxSIOp>(bounded, s.like(shift, -31));
  switch (rounding) {
  case nn::FixedPointRounding::Double:
    return emitDouble(s, x, multiplier, bounded);
  case nn::FixedPointRounding::Single:
    return emitOnce(s, x, multiplier, 31, bounded);
  case nn::FixedPointRounding::Mult16:
    return emitOnce(s, x, toMultiplier16(s, multiplier), 15, bounded);
  }
  llvm_unreachable("all ways of rounding are above");
}

} // namespace nacre::kernels
