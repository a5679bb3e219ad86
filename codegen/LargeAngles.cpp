// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  reduces angles of any size in integer arithmetic.
// Why:   one unit in the last place of a large float is more than a full circle. The result is only exact if 2 / pi has
//        as many digits as there are exponents (Payne and Hanek, "Radian reduction for trigonometric functions", 1983).
// How:   1. select the 96 bits of 2 / pi that matter for the exponent; 2. multiply them with the angle's digits, modulo
//        four quadrants; 3. convert the distance from the nearest quadrant to a float.

#include "codegen/FunctionParts.h"
#include "codegen/IntegerTerms.h"

#include <array>

using namespace mlir;

namespace nacre::codegen {
namespace {

using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// 1. The bits of 2 / pi
//===----------------------------------------------------------------------===//

/// Binary digits of 2 / pi after the binary point. A word of zeros precedes them.
constexpr std::array<uint32_t, 8> kTwoByPi = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                              0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

constexpr unsigned kWindow = 3; ///< Number of words of the table that a product uses.

/// Returns kWindow words of the table that begin at bit `first`. `first` must be less than 160.
std::array<Term, kWindow> windowFrom(Term first) {
  Term word = shiftRight(first, 5), bit = first & first.integer(31);
  auto constant = [&](unsigned at) { return first.integer(int32_t(kTwoByPi[at])); };
  std::array<Term, kWindow + 1> words = {word, word, word, word};
  for (unsigned i = 0; i <= kWindow; ++i) {
    words[i] = constant(i);
    for (unsigned begin = 1; begin + i < kTwoByPi.size(); ++begin)
      words[i] = compare(Predicate::eq, word, begin).select(constant(begin + i), words[i]);
  }
  // Shifts right in two steps, because a shift by 32 is undefined.
  Term rest = first.integer(31) ^ bit;
  std::array<Term, kWindow> window = {word, word, word};
  for (unsigned i = 0; i < kWindow; ++i)
    window[i] = shiftLeft(words[i], bit) | shiftRight(shiftRight(words[i + 1], 1), rest);
  return window;
}

//===----------------------------------------------------------------------===//
// 2. The product
//===----------------------------------------------------------------------===//

struct Wide {
  Term low, high;
};

Wide multiply(Term a, Term b) {
  auto product = arith::MulUIExtendedOp::create(a.builder->ops, a.builder->loc, a.value, b.value);
  return {a.make(product.getLow()), a.make(product.getHigh())};
}

/// Returns bits 32 to 95 of the product with `digits`, modulo 2^96.
Wide multiply(Term digits, const std::array<Term, kWindow> &window) {
  Wide middle = multiply(digits, window[1]);
  Term low = plus(middle.low, multiply(digits, window[2]).high);
  Term carry = compare(Predicate::ult, low, middle.low).select(low.integer(1), low.integer(0));
  return {low, plus(plus(times(digits, window[0]), middle.high), carry)};
}

//===----------------------------------------------------------------------===//
// 3. The distance
//===----------------------------------------------------------------------===//

Term asFloat(Term integer) {
  return integer.op<arith::UIToFPOp>(withElement(integer.type(), integer.builder->ops.getF32Type()), integer.value);
}

} // namespace

ReducedAngle reduceLargeAngle(Term x) {
  Term bits = x.bits(), exponent = shiftRight(bits, 23) & bits.integer(255);
  Term digits = (bits & bits.integer(0x7fffff)) | bits.integer(0x800000);
  // |x| = digits * 2^(exponent - 150). The window skips bits of 2 / pi that contribute only full circles.
  constexpr int64_t kFirstExponent = 150 + 2 - 32; // Exponent for which the window begins at the table's first bit.
  Wide turns = multiply(digits, windowFrom(plus(exponent, -kFirstExponent)));

  // The two highest bits count quadrants. Find the nearest whole quadrant, and the signed distance from it.
  Term quadrant = shiftRight(plus(turns.high, 1 << 29), 30);
  Term high = minus(turns.high, shiftLeft(quadrant, 30)), isBelow = compare(Predicate::slt, high, 0);
  Term low = isBelow.select(minus(turns.low), turns.low);
  Term borrow = compare(Predicate::ne, low, 0).select(high.integer(1), high.integer(0));
  high = isBelow.select(minus(minus(high), borrow), high);
  Term distance = fma(asFloat(high), 0x1p32, asFloat(low)) * (kPi / 2 * 0x1p-62);

  Term isNegative = compare(Predicate::slt, bits, 0);
  Term r = (isBelow ^ isNegative).select(negate(distance), distance);
  r = compare(Predicate::eq, exponent, 255).select(x.constant(kNaN), r);
  return {r, isNegative.select(minus(quadrant), quadrant)};
}

} // namespace nacre::codegen
