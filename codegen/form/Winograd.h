// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the transforms of Winograd convolutions F(m, r) in one dimension: m outputs of a filter with r taps.
// Why:   they need m + r - 1 products instead of m r. A 3x3 convolution in tiles of 4x4 needs 36 products instead of
//        144, a 5x5 one 64 instead of 400. See Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015.
//        Emitters and tests share this code.
// How:   y = A^T [(G g) * (B^T d)], with each matrix as a sequence of operations. A 2D transform applies it along each
//        dimension. The polynomials of the filter and of the outputs are evaluated at 0, at infinity, and at points p
//        and -p, which share their even and odd terms. The inverse transform divides by the divisors of all points,
//        which needs no extra operation. Values are in the order 0, each p and -p, infinity.

#ifndef NACRE_CODEGEN_FORM_WINOGRAD_H
#define NACRE_CODEGEN_FORM_WINOGRAD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <cmath>
#include <cstdint>

namespace nacre::codegen::winograd {

/// The algorithm F(outputs, taps).
struct Method {
  int64_t outputs = 0, taps = 3;

  /// Returns the number of input elements that a tile reads along one dimension. This is also its number of products.
  constexpr int64_t inputs() const { return outputs + taps - 1; }
  /// Returns the number of products along both dimensions.
  constexpr int64_t numbers() const { return inputs() * inputs(); }
  /// Returns the ratio of the products along both dimensions to the products of a direct convolution.
  constexpr double share() const { return double(numbers()) / double(outputs * outputs * taps * taps); }
  /// True if the method has points: an even number of them, and few enough to keep rounding errors small.
  constexpr bool exists() const {
    return outputs >= 2 && taps >= 3 && taps % 2 == 1 && inputs() % 2 == 0 && inputs() <= 8;
  }
  /// True if the transformed values of 8-bit integers fit into 16 bits. In tiles of four outputs, elements up to 255
  /// give at most 17340, and taps down to -128 give at most 6272.
  constexpr bool fitsIntegers() const { return taps == 3 && outputs <= 4; }
};

/// Ways to compute the values at p and at -p from their even and odd terms.
enum class Pairs {
  MultiplyAdds, ///< even + p odd, and even - p odd, with one operation each. One of them cannot overwrite its addend.
  Sums,         ///< A sum and a difference, because the terms already contain p or 1 / p.
  /// Like MultiplyAdds, but with integer coefficients and without divisions, so that integers stay exact. Outputs are
  /// too large by the factor scaleOf() along each dimension.
  Integers,
};

/// Returns the squares of the points other than 0 and infinity, chosen for the smallest error. For three taps and 4, 6
/// and 8 inputs, the root mean square error is 0.7, 2 and 8 times that of a direct convolution. For five taps and 6 and
/// 8 inputs, it is 1.3 and 5 times as large. Integers use the smallest integer points.
inline llvm::ArrayRef<double> squaresOf(int64_t inputs, Pairs pairs = Pairs::MultiplyAdds) {
  static constexpr double four[] = {1}, six[] = {0.5, 2}, eight[] = {0.25, 1, 4}, integers[] = {1, 4};
  assert((inputs == 4 || inputs == 6 || inputs == 8) && "tiles read 4, 6 or 8 elements");
  if (inputs == 4)
    return four;
  if (pairs == Pairs::Integers) {
    assert(inputs == 6 && "numbers of larger tiles do not fit 16 bits");
    return integers;
  }
  return inputs == 6 ? llvm::ArrayRef(six) : llvm::ArrayRef(eight);
}

/// Returns the factor of integer outputs along one dimension: the smallest for which all coefficients are integers.
constexpr int64_t scaleOf(int64_t inputs) { return inputs == 4 ? 2 : 24; }

/// Returns the coefficients of the product of (x - square) over all squares except the one with index `without`. The
/// coefficient of x^0 comes first.
inline llvm::SmallVector<double, 4> productOf(llvm::ArrayRef<double> squares, size_t without) {
  llvm::SmallVector<double, 4> product = {1};
  for (size_t number = 0; number < squares.size(); ++number) {
    if (number == without)
      continue;
    product.push_back(0);
    for (size_t i = product.size(); i-- > 0;)
      product[i] = (i ? product[i - 1] : 0) - squares[number] * product[i];
  }
  return product;
}

/// Returns sum + factor * a. T is a scalar or a symbolic value; fma(T, double, T) is its multiply-add.
template <typename T> T addMultiple(T sum, double factor, T a) {
  using std::fma;
  return factor == 1 ? sum + a : factor == -1 ? sum - a : fma(a, factor, sum);
}

/// Returns the sum of coefficients[i] * d[first + 2 * i]. Terms with the coefficient 1 come first, so that a
/// multiply-add can overwrite its addend.
template <typename T> T everyOther(llvm::ArrayRef<T> d, int64_t first, llvm::ArrayRef<double> coefficients) {
  const int64_t last = coefficients.size() - 1;
  const int64_t begin = coefficients.back() != 1 && coefficients.front() == 1 ? 0 : last;
  T sum = coefficients[begin] == 1 ? d[first + 2 * begin] : d[first + 2 * begin] * coefficients[begin];
  for (bool multiplies : {false, true})
    for (int64_t i = last; i >= 0; --i)
      if (i != begin && multiplies == (std::abs(coefficients[i]) != 1))
        sum = addMultiple(sum, coefficients[i], d[first + 2 * i]);
  return sum;
}

/// Returns each of `coefficients` times `factor`.
inline llvm::SmallVector<double, 4> scaled(llvm::ArrayRef<double> coefficients, double factor) {
  llvm::SmallVector<double, 4> products;
  for (double coefficient : coefficients)
    products.push_back(coefficient * factor);
  return products;
}

/// Returns G g without the divisions, for a filter with any odd number of taps. With Pairs::Sums, the values at p and
/// -p are also divided by p.
template <typename T>
llvm::SmallVector<T, 8> transformFilter(int64_t inputs, llvm::ArrayRef<T> g, Pairs pairs = Pairs::MultiplyAdds) {
  llvm::SmallVector<T, 8> result = {g.front()};
  for (double square : squaresOf(inputs, pairs)) {
    const double point = std::sqrt(square);
    llvm::SmallVector<double, 4> powers = {1};
    while (int64_t(2 * powers.size()) < int64_t(g.size()))
      powers.push_back(powers.back() * square);
    const double shared = pairs == Pairs::Sums ? point : 1;
    const T even = everyOther<T>(g, 0, scaled(powers, 1 / shared)),
            odd = everyOther<T>(g, 1, llvm::ArrayRef(powers).drop_back());
    result.push_back(addMultiple(even, point / shared, odd));
    result.push_back(addMultiple(even, -point / shared, odd));
  }
  result.push_back(g.back());
  return result;
}

/// Returns B^T d, the transformed inputs.
template <typename T> llvm::SmallVector<T, 8> transformInput(llvm::ArrayRef<T> d, Pairs pairs = Pairs::MultiplyAdds) {
  const llvm::ArrayRef<double> squares = squaresOf(d.size(), pairs);
  const llvm::SmallVector<double, 4> all = productOf(squares, squares.size());
  const llvm::SmallVector<double, 4> ofZero = pairs == Pairs::Integers ? all : scaled(all, 1 / all.front());
  llvm::SmallVector<T, 8> result = {everyOther<T>(d, 0, ofZero)};
  for (size_t number = 0; number < squares.size(); ++number) {
    const double point = std::sqrt(squares[number]);
    const llvm::SmallVector<double, 4> others = productOf(squares, number);
    const double carried = pairs == Pairs::Sums ? point : 1;
    const T even = everyOther<T>(d, 2, others), odd = everyOther<T>(d, 1, scaled(others, carried));
    result.push_back(addMultiple(even, point / carried, odd));
    result.push_back(addMultiple(even, -point / carried, odd));
  }
  result.push_back(everyOther<T>(d, 1, all));
  return result;
}

/// Returns the rows of B^T or G in groups that share operations: the first and the last row, and the rows of pairs of
/// points. A transform of one group for `columns` columns, along both dimensions, fits into `registers` registers.
inline llvm::SmallVector<llvm::SmallVector<int64_t, 8>, 4> rowsAtOnce(int64_t inputs, int64_t columns,
                                                                      int64_t registers) {
  const int64_t most = registers * 3 / 4 / columns;
  if (inputs == 6 && most >= 3 && most < inputs)
    return {{0, 1, 2}, {3, 4, 5}};
  llvm::SmallVector<llvm::SmallVector<int64_t, 8>, 4> groups = {{0, inputs - 1}};
  for (int64_t row = 1; row + 1 < inputs; row += 2) {
    if (int64_t(groups.back().size()) + 2 > most)
      groups.emplace_back();
    groups.back().append({row, row + 1});
  }
  return groups;
}

/// Returns the divisor for the values at the point with index `number` and at its negative.
inline double divisorOf(llvm::ArrayRef<double> squares, size_t number) {
  double divisor = 2 * squares[number];
  for (size_t other = 0; other < squares.size(); ++other)
    if (other != number)
      divisor *= squares[number] - squares[other];
  return divisor;
}

/// Returns A^T m, the outputs. Divides products by the divisors that transformFilter() left out.
template <typename T>
llvm::SmallVector<T, 6> transformProducts(int64_t outputs, llvm::ArrayRef<T> m, Pairs pairs = Pairs::MultiplyAdds) {
  const llvm::ArrayRef<double> squares = squaresOf(m.size(), pairs);
  llvm::SmallVector<T, 3> sums, differences;
  for (size_t number = 0; number < squares.size(); ++number) {
    sums.push_back(m[2 * number + 1] + m[2 * number + 2]);
    differences.push_back(m[2 * number + 1] - m[2 * number + 2]);
  }
  // Start with the values at 0 and infinity. The value at 0 is too large by the product of all squares.
  T first = m.front(), last = m.back();
  const double scale = pairs == Pairs::Integers ? double(scaleOf(m.size())) : 1;
  if (pairs == Pairs::Integers) {
    first = first * (scale / productOf(squares, squares.size()).front());
    last = last * scale;
  }
  llvm::SmallVector<T, 6> result;
  for (int64_t output = 0; output < outputs; ++output) {
    llvm::ArrayRef<T> terms = output % 2 == 0 ? sums : differences;
    auto factor = [&](size_t number) {
      const double power = double(output + (pairs == Pairs::Sums ? 1 : 0));
      return scale * std::pow(std::sqrt(squares[number]), power) / divisorOf(squares, number);
    };
    const bool isFirst = output == 0, isLast = output + 1 == outputs;
    size_t number = isFirst || isLast ? 0 : 1;
    T sum = isFirst ? first : isLast ? last : terms[0] * factor(0);
    for (; number < squares.size(); ++number)
      sum = addMultiple(sum, factor(number), terms[number]);
    result.push_back(sum);
  }
  return result;
}

// The transposed matrices give the gradient of a filter: g' = G^T [(A y') * (B^T d)], where y' is the gradient of the
// outputs.

/// Returns A y', the transformed gradients of the outputs.
template <typename T> llvm::SmallVector<T, 8> transformOutputs(int64_t inputs, llvm::ArrayRef<T> y) {
  const llvm::ArrayRef<double> squares = squaresOf(inputs);
  llvm::SmallVector<T, 8> result = {y.front()};
  for (size_t number = 0; number < squares.size(); ++number) {
    auto factor = [&](int64_t output) {
      return std::pow(std::sqrt(squares[number]), double(output)) / divisorOf(squares, number);
    };
    T terms[] = {y[0] * factor(0), y[1] * factor(1)};
    for (int64_t output = 2; output < int64_t(y.size()); ++output)
      terms[output % 2] = addMultiple(terms[output % 2], factor(output), y[output]);
    result.push_back(terms[0] + terms[1]);
    result.push_back(terms[0] - terms[1]);
  }
  result.push_back(y.back());
  return result;
}

/// Returns G^T m, the gradients of the taps.
template <typename T> llvm::SmallVector<T, 8> transformGradients(int64_t taps, llvm::ArrayRef<T> m) {
  const llvm::ArrayRef<double> squares = squaresOf(m.size());
  llvm::SmallVector<T, 3> sums, differences;
  for (size_t number = 0; number < squares.size(); ++number) {
    sums.push_back(m[2 * number + 1] + m[2 * number + 2]);
    differences.push_back(m[2 * number + 1] - m[2 * number + 2]);
  }
  llvm::SmallVector<T, 8> result;
  for (int64_t tap = 0; tap < taps; ++tap) {
    llvm::ArrayRef<T> terms = tap % 2 == 0 ? sums : differences;
    auto factor = [&](size_t number) { return std::pow(std::sqrt(squares[number]), double(tap)); };
    T sum = tap == 0          ? m.front() + terms[0]
            : tap + 1 == taps ? addMultiple(m.back(), factor(0), terms[0])
                              : terms[0] * factor(0);
    for (size_t number = 1; number < squares.size(); ++number)
      sum = addMultiple(sum, factor(number), terms[number]);
    result.push_back(sum);
  }
  return result;
}

/// Transforms `size` x `size` values along both dimensions; `transform` works along one. Passes each transformed row in
/// `rows` to `take`.
template <typename T, typename Element, typename Transform, typename Take>
void transformBoth(int64_t size, llvm::ArrayRef<int64_t> rows, Element element, Transform transform, Take take) {
  llvm::SmallVector<llvm::SmallVector<T>> columns;
  for (int64_t j = 0; j < size; ++j) {
    llvm::SmallVector<T> column;
    for (int64_t i = 0; i < size; ++i)
      column.push_back(element(i, j));
    columns.push_back(llvm::SmallVector<T>(transform(llvm::ArrayRef<T>(column))));
  }
  for (int64_t i : rows) {
    llvm::SmallVector<T> row;
    for (int64_t j = 0; j < size; ++j)
      row.push_back(columns[j][i]);
    take(i, llvm::SmallVector<T>(transform(llvm::ArrayRef<T>(row))));
  }
}

} // namespace nacre::codegen::winograd

#endif // NACRE_CODEGEN_FORM_WINOGRAD_H
