// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hurwitz' zeta function and the derivatives of digamma.
//
// How:  for q > 0, the first terms are added, and the Euler-Maclaurin formula gives the rest. For q < 0 and an integer
// s, the terms of negative numbers are also terms of two other sums, except for their sign. These sums start at the
// fraction of -q and at 1 - q.

#include "compiler/import/compositions/special/Zeta.h"

#include "compiler/import/compositions/Tables.h"
#include "compiler/import/compositions/special/Columns.h"
#include "compiler/import/compositions/special/Gamma.h"

#include <limits>

using namespace mlir;

namespace nacre::importer {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// Number of terms that are added one by one. After them, the series of Bernoulli numbers has 15 digits for every s.
/// For a large s, the series grows, but then these terms are nearly the whole sum.
constexpr int64_t firstTerms = 10;
constexpr double bernoulli[] = {1. / 6, -1. / 30,     1. / 42,      -1. / 30,       5. / 66,       -691. / 2730,
                                7. / 6, -3617. / 510, 43867. / 798, -174611. / 330, 854513. / 138, -236364091. / 2730};

Value power(NnBuilder &nn, Value base, Value exponent) { return nn.binary(BinaryKind::Pow, base, exponent); }

/// True if `x` is an even integer. Infinity is even, like all large floats.
Value isEven(NnBuilder &nn, Value x) {
  Value half = nn.mul(x, 0.5);
  return nn.binary(BinaryKind::Equal, half, nn.unary(UnaryKind::Floor, half));
}

/// Returns the sum of (w + k)^-s over k = 0, 1, ..., divided by w^-s, by the Euler-Maclaurin formula.
Value addRest(NnBuilder &nn, Value s, Value w) {
  Value inverse = nn.unary(UnaryKind::Reciprocal, w), squared = nn.mul(inverse, inverse), sum;
  for (int64_t index = static_cast<int64_t>(std::size(bernoulli)) - 1; index > 0; --index) {
    const auto twice = static_cast<double>(2 * index);
    sum = sum ? nn.add(sum, bernoulli[index]) : nn.scalar(s, bernoulli[index]);
    Value growth = nn.mul(nn.mul(nn.add(s, twice - 1), nn.add(s, twice)), squared);
    sum = nn.mul(nn.mul(sum, growth), 1 / ((twice + 1) * (twice + 2)));
  }
  sum = nn.mul(nn.mul(nn.add(sum, bernoulli[0]), nn.mul(s, inverse)), 0.5);
  return nn.add(nn.add(nn.div(w, nn.add(s, -1)), 0.5), sum);
}

/// Returns zeta(s, q) for q > 0 and s > 1, in f64.
Value zetaOfRight(NnBuilder &nn, Value s, Value q) {
  if (!s || !q)
    return {};
  Value numbers = makeTable<double>(nn, RankedTensorType::get({firstTerms}, getElementType(q)),
                                    [](int64_t number) { return static_cast<double>(number); });
  Value exponent = nn.unary(UnaryKind::Neg, s);
  Value first = sumRows(nn, power(nn, nn.add(toColumn(nn, q), numbers), toColumn(nn, exponent)));
  Value w = nn.add(q, firstTerms), next = power(nn, w, exponent);
  // If the next term is 0, its factor may be infinite, so it is not multiplied.
  Value isOver = nn.binary(BinaryKind::Equal, next, 0.0);
  return nn.add(first, nn.select(isOver, next, nn.mul(next, addRest(nn, s, w))));
}

} // namespace

Value zeta(NnBuilder &nn, Value s, Value q) {
  if (!s || !q)
    return {};
  Type type = getElementType(q), f64 = nn.types().getF64Type();
  s = nn.cast(s, f64);
  q = nn.cast(q, f64);
  Value isLeft = nn.binary(BinaryKind::Less, q, 0.0), opposite = nn.unary(UnaryKind::Neg, q);
  Value fraction = nn.sub(opposite, nn.unary(UnaryKind::Floor, opposite));
  Value right = zetaOfRight(nn, s, nn.select(isLeft, nn.sub(nn.scalar(q, 1), fraction), q));
  Value near = zetaOfRight(nn, s, fraction), far = zetaOfRight(nn, s, nn.add(opposite, 1));
  Value hasEven = isEven(nn, s), isPole = nn.binary(BinaryKind::Equal, q, nn.unary(UnaryKind::Floor, q));
  Value isRound = nn.binary(BinaryKind::Equal, s, nn.unary(UnaryKind::Floor, s));
  Value left = nn.select(hasEven, nn.sub(nn.add(right, near), far), nn.add(nn.sub(right, near), far));
  left = nn.select(isRound, left, nn.scalar(q, nan));
  left = nn.select(isPole, nn.select(hasEven, nn.scalar(q, infinity), nn.scalar(q, nan)), left);

  Value result = nn.select(nn.binary(BinaryKind::LessEqual, q, 0.0), left, right);
  result = nn.select(nn.binary(BinaryKind::Less, s, 1.0), nn.scalar(q, nan), result);
  result = nn.select(nn.binary(BinaryKind::Equal, s, 1.0), nn.scalar(q, infinity), result);
  return nn.cast(result, type);
}

Value polygamma(NnBuilder &nn, Value n, Value x) {
  if (!n || !x)
    return {};
  Value order = nn.cast(n, nn.types().getF64Type()), wide = nn.cast(x, nn.types().getF64Type());
  Value following = nn.add(order, 1);
  Value size = nn.mul(nn.unary(UnaryKind::Exp, logGamma(nn, following)), zeta(nn, following, wide));
  Value result = nn.select(isEven(nn, following), size, nn.unary(UnaryKind::Neg, size));
  result = nn.select(nn.binary(BinaryKind::Equal, order, 0.0), digamma(nn, wide), result);
  Value isOrder = nn.binary(BinaryKind::And, nn.binary(BinaryKind::GreaterEqual, order, 0.0),
                            nn.binary(BinaryKind::Equal, order, nn.unary(UnaryKind::Floor, order)));
  return nn.cast(nn.select(isOrder, result, nn.scalar(result, nan)), getElementType(x));
}

} // namespace nacre::importer
