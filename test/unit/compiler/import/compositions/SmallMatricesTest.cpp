// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determinants, factors and solutions of matrices of up to eight rows.

#include "compiler/import/compositions/SmallMatrices.h"

#include "test/unit/compiler/import/compositions/FoldedNumbers.h"

using namespace nacre;
using namespace nacre::importer;

namespace {

using SmallMatrices = FoldedNumbers;

double determinantOf(const Doubles &matrix, int64_t size) {
  if (size == 0)
    return 1;
  double sum = 0;
  for (int64_t column = 0; column < size; ++column) {
    Doubles rest;
    for (int64_t row = 1; row < size; ++row)
      for (int64_t other = 0; other < size; ++other)
        if (other != column)
          rest.push_back(matrix[row * size + other]);
    sum += (column % 2 ? -1 : 1) * matrix[column] * determinantOf(rest, size - 1);
  }
  return sum;
}

TEST_F(SmallMatrices, DeterminantsUpToEightRows) {
  for (int64_t size = 0; size <= mostMatrixRows; ++size) {
    SCOPED_TRACE(size);
    Doubles matrices = someNumbers(3 * size * size, 11);
    auto begin = [&](int64_t index) { return matrices.begin() + index * size * size; };
    if (size > 1) {
      *begin(1) = 0;                                // a first element that must not be divided by
      std::copy_n(begin(2), size, begin(2) + size); // two rows alike
    }
    NnBuilder build = nn();
    Doubles actual = read(determinant(build, make({3, size, size}, matrices))), expected;
    for (int64_t index = 0; index < 3; ++index)
      expected.push_back(determinantOf(Doubles(begin(index), begin(index + 1)), size));
    expectNear(actual, expected);
  }
}

/// Returns the products of three pairs of matrices, [3, rows, inner] and [3, inner, columns].
Doubles multiply(const Doubles &a, const Doubles &b, int64_t rows, int64_t inner, int64_t columns) {
  Doubles product(3 * rows * columns, 0.0);
  for (int64_t row = 0; row < 3 * rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t k = 0; k < inner; ++k)
        product[row * columns + column] += a[row * inner + k] * b[(row / rows * inner + k) * columns + column];
  return product;
}

TEST_F(SmallMatrices, SystemsUpToEightRows) {
  constexpr int64_t sides = 2;
  for (int64_t size = 1; size <= mostMatrixRows; ++size) {
    SCOPED_TRACE(size);
    Doubles matrices = someNumbers(3 * size * size, 5), right = someNumbers(3 * size * sides, 23);
    if (size > 1)
      matrices[size * size] = 0; // a first element that must not be divided by
    NnBuilder build = nn();
    mlir::Value b = make({3, size, sides}, right);
    Doubles x = read(solve(build, make({3, size, size}, matrices), b));
    expectNear(multiply(matrices, x, size, size, sides), right);

    for (bool isLower : {true, false}) {
      Doubles triangles = matrices;
      for (int64_t index = 0; index < 3 * size * size; ++index) {
        int64_t row = index / size % size, column = index % size;
        triangles[index] += row == column ? 3 : 0;
      }
      x = read(solveTriangular(build, make({3, size, size}, triangles), b, isLower));
      for (int64_t index = 0; index < 3 * size * size; ++index) {
        int64_t row = index / size % size, column = index % size;
        if (isLower ? column > row : column < row)
          triangles[index] = 0;
      }
      expectNear(multiply(triangles, x, size, size, sides), right);
    }
  }
}

TEST_F(SmallMatrices, CholeskysFactorUpToEightRows) {
  for (int64_t size = 1; size <= mostMatrixRows; ++size) {
    SCOPED_TRACE(size);
    Doubles factors = someNumbers(3 * size * size, 31), transposed = factors;
    for (int64_t index = 0; index < 3 * size * size; ++index) {
      int64_t row = index / size % size, column = index % size;
      factors[index] = column > row ? 0 : factors[index] + (row == column ? 2 : 0);
      transposed[index + (row - column) * (1 - size)] = factors[index];
    }
    Doubles squares = multiply(factors, transposed, size, size, size);
    for (int64_t index = 0; index < 3 * size * size; ++index)
      if (index % size > index / size % size)
        squares[index] = 99; // which is not read
    NnBuilder build = nn();
    expectNear(read(cholesky(build, make({3, size, size}, squares))), factors);
  }
}

TEST_F(SmallMatrices, FactorsOfEliminationUpToEightRows) {
  for (int64_t size = 1; size <= mostMatrixRows; ++size) {
    SCOPED_TRACE(size);
    Doubles matrices = someNumbers(3 * size * size, 17), sorted = matrices, lower = matrices, upper = matrices;
    NnBuilder build = nn();
    TriangularFactors factors = factorize(build, make({3, size, size}, matrices));
    Doubles both = read(factors.both), order = read(factors.order);
    for (int64_t index = 0; index < 3 * size * size; ++index) {
      int64_t row = index / size % size, column = index % size, matrix = index / size / size;
      sorted[index] = matrices[(matrix * size + static_cast<int64_t>(order[index / size])) * size + column];
      lower[index] = row == column ? 1 : row > column ? both[index] : 0;
      upper[index] = row > column ? 0 : both[index];
      EXPECT_LE(std::abs(lower[index]), 1); // what is divided by is the largest
    }
    expectNear(multiply(lower, upper, size, size, size), sorted);
  }
}

} // namespace
