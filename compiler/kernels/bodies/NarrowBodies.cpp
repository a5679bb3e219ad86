// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has five parts: 1. integers with short names; 2. signed floats; 3. f8E8M0FNU; 4. the entry points; 5. bits.

#include "compiler/kernels/bodies/NarrowBodies.h"
#include "dialects/nn/NarrowTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace nacre::kernels {

namespace {

//===----------------------------------------------------------------------===//
// 1. Integers
//===----------------------------------------------------------------------===//

using Predicate = arith::CmpIPredicate;

/// Constants of the f32 format.
constexpr int mantissaBits = 23, bias = 127;
constexpr int64_t infinity = 0x7f800000, quietNaN = 0x7fc00000, magnitudeMask = 0x7fffffff;

/// Value of type i32, with operators.
struct Bits {
  Scalars *s;
  Value value;

  Bits make(Value other) const { return {s, other}; }
  Bits constant(int64_t number) const {
    return make(s->make<arith::ConstantOp>(s->builder.getIntegerAttr(value.getType(), number)));
  }
  Bits operator+(int64_t other) const { return *this + constant(other); }
  Bits operator+(Bits other) const { return make(s->make<arith::AddIOp>(value, other.value)); }
  Bits operator&(int64_t mask) const { return make(s->make<arith::AndIOp>(value, constant(mask).value)); }
  Bits operator|(Bits other) const { return make(s->make<arith::OrIOp>(value, other.value)); }
  Bits operator<<(int amount) const { return make(s->make<arith::ShLIOp>(value, constant(amount).value)); }
  Bits operator>>(int amount) const { return make(s->make<arith::ShRUIOp>(value, constant(amount).value)); }
  Value is(Predicate predicate, int64_t other) const { return s->compare(predicate, value, constant(other).value); }
  /// Returns `other` if `condition` holds, else this value.
  Bits unless(Value condition, Bits other) const { return make(s->select(condition, other.value, value)); }
  Bits unless(Value condition, int64_t other) const { return unless(condition, constant(other)); }
  Value asFloat() const { return s->make<arith::BitcastOp>(s->builder.getF32Type(), value); }
};

Bits bitsOf(Scalars &s, Value x) { return {&s, s.make<arith::BitcastOp>(s.builder.getI32Type(), x)}; }
Bits widen(Scalars &s, Value code) { return {&s, s.make<arith::ExtUIOp>(s.builder.getI32Type(), code)}; }
Value asCode(Bits bits) { return bits.s->make<arith::TruncIOp>(bits.s->builder.getI8Type(), bits.value); }

//===----------------------------------------------------------------------===//
// 2. Floats with a sign
//===----------------------------------------------------------------------===//

/// Differences between f32 and `format`: the shift of the mantissa in bits, and the difference of the exponent biases
/// at the position of an f32's exponent.
int shiftOf(const nn::FloatFormat &format) { return mantissaBits - format.mantissaBits; }
int64_t rebias(const nn::FloatFormat &format) { return int64_t(bias - format.bias) << mantissaBits; }

Value decodeFloat(Scalars s, Value code, const nn::FloatFormat &format) {
  Bits all = widen(s, code), magnitude = all & (format.sign - 1);
  Bits normal = (magnitude << shiftOf(format)) + rebias(format);
  // Subnormal values are multiples of the smallest one.
  Value count = s.make<arith::SIToFPOp>(s.builder.getF32Type(), magnitude.value);
  Value small = s.make<arith::MulFOp>(count, s.like(count, std::ldexp(1.0, 1 - format.bias - format.mantissaBits)));
  Bits number = normal.unless(magnitude.is(Predicate::slt, int64_t(1) << format.mantissaBits), bitsOf(s, small));
  if (format.greatest < format.sign - 1)
    number = number.unless(magnitude.is(Predicate::sgt, format.greatest), quietNaN);
  if (format.hasInfinity)
    number = number.unless(magnitude.is(Predicate::eq, format.overflow), infinity);
  number = number | ((all & format.sign) << (31 - int(llvm::Log2_32(format.sign))));
  if (!format.hasNegativeZero)
    number = number.unless(all.is(Predicate::eq, format.sign), quietNaN);
  return number.asFloat();
}

Value encodeFloat(Scalars s, Value x, const nn::FloatFormat &format, CastRules rules) {
  Bits all = bitsOf(s, x), magnitude = all & magnitudeMask;
  Bits sign = (all >> (31 - int(llvm::Log2_32(format.sign)))) & format.sign;
  // Adds half of the last place, minus one if the kept part is even. A carry correctly increments the exponent.
  const int shift = shiftOf(format);
  Bits rebiased = magnitude + -rebias(format);
  Bits odd = (rebiased >> shift) & 1;
  Bits code = (rebiased + ((int64_t(1) << (shift - 1)) - 1) + odd) >> shift;
  // Subnormal values are multiples of the smallest one.
  Value isSmall = magnitude.is(Predicate::slt, int64_t(1 - format.bias + bias) << mantissaBits);
  Value small = s.select(isSmall, magnitude.asFloat(), s.constant(s.builder.getF32Type(), 0));
  Value steps = s.make<arith::MulFOp>(small, s.like(small, std::ldexp(1.0, format.bias - 1 + format.mantissaBits)));
  Value count = s.make<arith::FPToSIOp>(s.builder.getI32Type(), s.make<math::RoundEvenOp>(steps));
  code = code.unless(isSmall, {&s, count});

  const bool saturates = !rules.overflows || format.alwaysSaturates;
  code = code.unless(code.is(Predicate::sgt, format.greatest), saturates ? format.greatest : format.overflow);
  Bits withSign = code | sign;
  if (!format.hasNegativeZero)
    withSign = withSign.unless(code.is(Predicate::eq, 0), code);
  return asCode(withSign.unless(magnitude.is(Predicate::sgt, infinity), sign | sign.constant(format.nan)));
}

//===----------------------------------------------------------------------===//
// 3. f8E8M0FNU
//===----------------------------------------------------------------------===//

/// Bits of the smallest value of f8E8M0FNU, which is subnormal as an f32.
constexpr int64_t leastBits = int64_t(1) << (mantissaBits - 1);

Value decodeScale(Scalars s, Value code) {
  Bits exponent = widen(s, code);
  Bits number = (exponent << mantissaBits).unless(exponent.is(Predicate::eq, 0), leastBits);
  return number.unless(exponent.is(Predicate::eq, nn::scaleNaN), quietNaN).asFloat();
}

Value encodeScale(Scalars s, Value x, CastRules rules) {
  Bits all = bitsOf(s, x), code = all >> mantissaBits, fraction = all & (leastBits * 2 - 1);
  if (rules.rounding != nn::ScaleRounding::Down) {
    // A fraction above this limit is rounded up. Subnormal f32 values have no implicit leading 1, so their fraction
    // contains it.
    const int64_t limit = rules.rounding == nn::ScaleRounding::Up ? 0 : leastBits - 1;
    Bits beyond = code.constant(limit).unless(code.is(Predicate::eq, 0), leastBits + limit / 2);
    Value grows = s.compare(Predicate::sgt, fraction.value, beyond.value);
    code = code.unless(grows, code + 1);
  }
  const int64_t none = nn::scaleNaN;
  code = code.unless(code.is(Predicate::sgt, nn::greatestScale), rules.overflows ? none : nn::greatestScale);
  // Negative floats are negative as integers, too.
  code = code.unless(all.is(Predicate::slt, leastBits), rules.overflows ? none : 0);
  return asCode(code.unless((all & magnitudeMask).is(Predicate::sgt, infinity), none));
}

} // namespace

//===----------------------------------------------------------------------===//
// 4. The entry points
//===----------------------------------------------------------------------===//

Value emitDecode(Scalars s, Value code, Type type) {
  const nn::FloatFormat *format = nn::findFormat(type);
  return format ? decodeFloat(s, code, *format) : decodeScale(s, code);
}

Value emitEncode(Scalars s, Value x, Type type, CastRules rules) {
  const nn::FloatFormat *format = nn::findFormat(type);
  return format ? encodeFloat(s, x, *format, rules) : encodeScale(s, x, rules);
}

Value emitNarrowInteger(Scalars s, Value integer, Type type) {
  const int unused = 32 - int(type.getIntOrFloatBitWidth());
  Bits bits = Bits{&s, integer} << unused;
  if (!type.isSignlessInteger())
    return asCode(bits >> unused);
  return asCode(bits.make(s.make<arith::ShRSIOp>(bits.value, bits.constant(unused).value)));
}

//===----------------------------------------------------------------------===//
// 5. Bits
//===----------------------------------------------------------------------===//

Value resize(Scalars s, Value bits, unsigned width) {
  Type type = s.builder.getIntegerType(width);
  if (bits.getType() == type)
    return bits;
  return bits.getType().getIntOrFloatBitWidth() < width ? s.make<arith::ExtUIOp>(type, bits)
                                                        : s.make<arith::TruncIOp>(type, bits);
}

Value emitBits(Scalars s, Value stored, Type elementType) {
  const unsigned width = elementType.getIntOrFloatBitWidth();
  if (nn::isPacked(elementType))
    return s.make<arith::AndIOp>(stored, s.like(stored, (1 << width) - 1));
  return isa<FloatType>(stored.getType()) ? s.make<arith::BitcastOp>(s.builder.getIntegerType(width), stored) : stored;
}

Value emitElement(Scalars s, Value bits, Type elementType) {
  if (nn::isPacked(elementType))
    return emitNarrowInteger(s, resize(s, bits, 32), elementType);
  Type stored = getStorageType(elementType);
  bits = resize(s, bits, elementType.getIntOrFloatBitWidth());
  return isa<FloatType>(stored) ? s.make<arith::BitcastOp>(stored, bits) : bits;
}

} // namespace nacre::kernels
