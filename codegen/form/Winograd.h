// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the transforms of Winograd convolutions, F(2, 3), F(4, 3) and F(6, 3), in one dimension.
// Why:   m neighbouring outputs of a filter of three are a sum of m + 2 products in place of 3m: a 3x3 convolution by
//        tiles of 4x4 takes 36 products for 144 (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks,
//        2015). Emitters and tests apply one text.
// How:   y = A^T [(G g) * (B^T d)], each matrix as the operations that it takes; two dimensions are the same along each.
//        Both polynomials, of the filter and of the outputs, are evaluated at 0, at infinity, and at points p and -p,
//        which share their even and their odd terms. What the values at p would be divided by, the way back is: there
//        it costs no operation. The first number is that of 0, then come those of each p and -p, then infinity's.

#ifndef NACRE_CODEGEN_FORM_WINOGRAD_H
#define NACRE_CODEGEN_FORM_WINOGRAD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <cmath>
#include <cstdint>

namespace nacre::codegen::winograd {

inline constexpr int64_t kTaps = 3;

/// Elements of the input that a tile of so many outputs reads, and products that it takes, along one dimension.
constexpr int64_t inputsOf(int64_t outputs) { return outputs + kTaps - 1; }

/// The squares of the points beside 0 and infinity: those for which the error is least. Its root mean square is 0.7, 2 and
/// 10 times a direct convolution's.
inline llvm::ArrayRef<double> squaresOf(int64_t outputs) {
  static constexpr double two[] = {1}, four[] = {0.5, 2}, six[] = {0.25, 1, 4};
  assert((outputs == 2 || outputs == 4 || outputs == 6) && "tiles are of 2, 4 or 6 outputs");
  if (outputs == 2)
    return two;
  return outputs == 4 ? llvm::ArrayRef(four) : llvm::ArrayRef(six);
}

/// The coefficients of the product of x - square over all squares but number `without`, of x^0 first.
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

/// sum + factor * a. T: a number, or what stands for one; fma(T, double, T) is its multiply-add.
template <typename T> T addMultiple(T sum, double factor, T a) {
  using std::fma;
  return factor == 1 ? sum + a : factor == -1 ? sum - a : fma(a, factor, sum);
}

/// G g, but for those divisions.
template <typename T> llvm::SmallVector<T, 8> transformFilter(int64_t outputs, llvm::ArrayRef<T> g) {
  llvm::SmallVector<T, 8> result = {g[0]};
  for (double square : squaresOf(outputs)) {
    const double point = std::sqrt(square);
    const T even = addMultiple(g[0], square, g[2]);
    result.push_back(addMultiple(even, point, g[1]));
    result.push_back(addMultiple(even, -point, g[1]));
  }
  result.push_back(g[2]);
  return result;
}

/// Every other of `d` from `first` on, times `coefficients`, of which the last is 1, or the first.
template <typename T> T everyOther(llvm::ArrayRef<T> d, int64_t first, llvm::ArrayRef<double> coefficients) {
  const int64_t last = coefficients.size() - 1, one = coefficients.back() == 1 ? last : 0;
  T sum = d[first + 2 * one];
  for (int64_t i = last; i >= 0; --i)
    if (i != one)
      sum = addMultiple(sum, coefficients[i], d[first + 2 * i]);
  return sum;
}

/// B^T d.
template <typename T> llvm::SmallVector<T, 8> transformInput(int64_t outputs, llvm::ArrayRef<T> d) {
  const llvm::ArrayRef<double> squares = squaresOf(outputs);
  llvm::SmallVector<double, 4> all = productOf(squares, squares.size()), ofZero;
  for (double coefficient : all)
    ofZero.push_back(coefficient / all.front());
  llvm::SmallVector<T, 8> result = {everyOther<T>(d, 0, ofZero)};
  for (size_t number = 0; number < squares.size(); ++number) {
    const double point = std::sqrt(squares[number]);
    const llvm::SmallVector<double, 4> others = productOf(squares, number);
    const T even = everyOther<T>(d, 2, others), odd = everyOther<T>(d, 1, others);
    result.push_back(addMultiple(even, point, odd));
    result.push_back(addMultiple(even, -point, odd));
  }
  result.push_back(everyOther<T>(d, 1, all));
  return result;
}

/// Groups of B^T's rows, those together that share operations, of which a transform along both dimensions stays in so
/// many registers.
inline llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 4> rowsAtOnce(int64_t outputs, int64_t registers) {
  const int64_t inputs = inputsOf(outputs), most = registers / inputs * 3 / 4;
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 4> groups;
  if (most >= inputs)
    groups.push_back({0, 1, 2, 3});
  else if (2 * most >= inputs && outputs == 4)
    groups = {{0, 1, 2}, {3, 4, 5}};
  else {
    groups.push_back({0, inputs - 1});
    for (int64_t row = 1; row + 1 < inputs; row += 2)
      groups.push_back({row, row + 1});
  }
  return groups;
}

/// A^T m, of products that are those divisions too large.
template <typename T> llvm::SmallVector<T, 6> transformProducts(int64_t outputs, llvm::ArrayRef<T> m) {
  const llvm::ArrayRef<double> squares = squaresOf(outputs);
  llvm::SmallVector<T, 3> sums, differences;
  for (size_t number = 0; number < squares.size(); ++number) {
    sums.push_back(m[2 * number + 1] + m[2 * number + 2]);
    differences.push_back(m[2 * number + 1] - m[2 * number + 2]);
  }
  llvm::SmallVector<T, 6> result;
  for (int64_t output = 0; output < outputs; ++output) {
    llvm::ArrayRef<T> terms = output % 2 == 0 ? sums : differences;
    auto factor = [&](size_t number) {
      double divisor = 2 * squares[number];
      for (size_t other = 0; other < squares.size(); ++other)
        if (other != number)
          divisor *= squares[number] - squares[other];
      return std::pow(std::sqrt(squares[number]), double(output)) / divisor;
    };
    const bool isFirst = output == 0, isLast = output + 1 == outputs;
    size_t number = isFirst || isLast ? 0 : 1;
    T sum = isFirst ? m.front() : isLast ? m.back() : terms[0] * factor(0);
    for (; number < squares.size(); ++number)
      sum = addMultiple(sum, factor(number), terms[number]);
    result.push_back(sum);
  }
  return result;
}

} // namespace nacre::codegen::winograd

#endif // NACRE_CODEGEN_FORM_WINOGRAD_H
