// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compositions of many operators, in numbers: of constants they fold, and so say what they compute.

#include "compiler/import/compositions/Einsum.h"
#include "compiler/import/compositions/Signal.h"
#include "compiler/import/compositions/SmallMatrices.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/compositions/special/Gamma.h"

#include "dialects/nn/ConstantData.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "gtest/gtest.h"
#include <complex>
#include <map>

using namespace nacre;
using namespace nacre::importer;
using Doubles = std::vector<double>;
using Shape = llvm::SmallVector<int64_t>;

namespace {

class Compositions : public testing::Test {
protected:
  Compositions() : builder(&context), module(mlir::ModuleOp::create(builder.getUnknownLoc())) {
    context.loadDialect<nn::NnDialect>();
    builder.setInsertionPointToEnd(module->getBody());
  }

  NnBuilder nn() { return {builder, builder.getUnknownLoc(), state}; }

  mlir::Value make(Ints shape, const Doubles &numbers) {
    NnBuilder build = nn();
    return makeTable<double>(build, mlir::RankedTensorType::get(shape, builder.getF64Type()),
                             [&](int64_t index) { return numbers[index]; });
  }

  static Doubles read(mlir::Value value) {
    mlir::ElementsAttr constant = value ? getConstant(value) : mlir::ElementsAttr();
    if (!constant) {
      ADD_FAILURE() << "must fold";
      return {};
    }
    Doubles numbers(constant.getNumElements());
    llvm::cantFail(mlir::failed(nn::ConstantView::get(constant)) ? llvm::createStringError("no bytes")
                                                                 : llvm::Error::success());
    nn::ConstantView::get(constant)->read(0, 1, constant.getNumElements(), numbers.data());
    return numbers;
  }

  std::string whyNot(llvm::StringRef equation, llvm::ArrayRef<Ints> shapes) {
    llvm::Expected<EinsumTerms> terms = parseEinsum(equation, shapes);
    return terms ? "" : llvm::toString(terms.takeError());
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ImportState state{ImportOptions()};
};

/// Some numbers, none like another.
Doubles someNumbers(int64_t count, double seed) {
  Doubles numbers(count);
  for (int64_t index = 0; index < count; ++index)
    numbers[index] = std::sin(seed + 0.7 * static_cast<double>(index * index % 97) + static_cast<double>(index));
  return numbers;
}

void expectNear(const Doubles &actual, const Doubles &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t index = 0; index < actual.size(); ++index)
    EXPECT_NEAR(actual[index], expected[index], 1e-9) << "element " << index;
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

/// By its definition: over all values of all labels, letters each, the product of the operands adds to the result.
Doubles sumByDefinition(const std::vector<std::string> &terms, const std::string &result,
                        const std::map<char, int64_t> &sizes, const std::vector<Doubles> &operands) {
  int64_t total = 1, count = 1;
  for (auto [label, size] : sizes)
    total *= size;
  for (char label : result)
    count *= sizes.at(label);
  Doubles sums(count, 0.0);
  for (int64_t iteration = 0; iteration < total; ++iteration) {
    std::map<char, int64_t> at;
    int64_t rest = iteration;
    for (auto [label, size] : sizes) {
      at[label] = rest % size;
      rest /= size;
    }
    auto indexIn = [&](const std::string &labels) {
      int64_t index = 0;
      for (char label : labels)
        index = index * sizes.at(label) + at[label];
      return index;
    };
    double product = 1;
    for (size_t operand = 0; operand < terms.size(); ++operand)
      product *= operands[operand][indexIn(terms[operand])];
    sums[indexIn(result)] += product;
  }
  return sums;
}

TEST_F(Compositions, EinsumIsWhatItsDefinitionSays) {
  const std::map<char, int64_t> all{{'a', 2}, {'b', 3}, {'c', 4}, {'d', 2}, {'A', 5}};
  const std::pair<std::vector<std::string>, std::string> equations[] = {
      {{"ab", "bc"}, "ac"},
      {{"abc", "acb"}, "ba"},
      {{"aab"}, "ab"},
      {{"aba"}, ""},
      {{"a", "b", "c"}, "cab"},
      {{"abc", "b"}, "ca"},
      {{"dab", "dbc"}, "dca"},
      {{"ab", "ab"}, "ab"},
      {{"ab", "bc", "cA"}, "aA"},
      {{"ab", "cb"}, ""},
      {{"a", "bA"}, "b"},
      {{"adad"}, "da"},
      {{"abc", "bd", "ac"}, "db"},
      {{""}, ""},
      {{"aA", "Aa", "A"}, "a"},
  };
  for (auto &[terms, result] : equations) {
    std::string equation;
    std::map<char, int64_t> sizes;
    std::vector<Shape> shapes;
    std::vector<Doubles> numbers;
    llvm::SmallVector<mlir::Value> operands;
    for (const std::string &term : terms) {
      equation += (equation.empty() && shapes.empty() ? "" : ",") + term;
      Shape shape;
      for (char label : term)
        shape.push_back(sizes[label] = all.at(label));
      int64_t count = 1;
      for (int64_t size : shape)
        count *= size;
      numbers.push_back(someNumbers(count, static_cast<double>(numbers.size())));
      operands.push_back(make(shape, numbers.back()));
      shapes.push_back(shape);
    }
    equation += "->" + result;
    SCOPED_TRACE(equation);
    llvm::SmallVector<Ints> views(shapes.begin(), shapes.end());
    llvm::Expected<EinsumTerms> parsed = parseEinsum(equation, views);
    ASSERT_TRUE(static_cast<bool>(parsed)) << llvm::toString(parsed.takeError());
    NnBuilder build = nn();
    expectNear(read(einsum(build, *parsed, operands)), sumByDefinition(terms, result, sizes, numbers));
  }
}

TEST_F(Compositions, EinsumWithoutAnArrowHasTheLabelsThatOccurOnceSorted) {
  llvm::Expected<EinsumTerms> terms = parseEinsum(" b c a ... , ... cZ ", {{2, 3, 4, 7}, {7, 3, 5}});
  ASSERT_TRUE(static_cast<bool>(terms));
  EXPECT_EQ(terms->result, (EinsumLabels{-1, 'Z', 'a', 'b'}));
  EXPECT_EQ(terms->shape, (Shape{7, 5, 4, 2}));
}

TEST_F(Compositions, EinsumsAxesOfOneElementRepeat) {
  llvm::Expected<EinsumTerms> terms = parseEinsum("...ij,...jk->...ik", {{4, 1, 2, 3}, {5, 1, 2}});
  ASSERT_TRUE(static_cast<bool>(terms));
  EXPECT_EQ(terms->shape, (Shape{4, 5, 2, 2}));
  Doubles lhs = someNumbers(24, 1), rhs = someNumbers(10, 2), expected;
  NnBuilder build = nn();
  Doubles actual = read(einsum(build, *terms, {make({4, 1, 2, 3}, lhs), make({5, 1, 2}, rhs)}));
  for (int64_t a = 0; a < 4; ++a)
    for (int64_t b = 0; b < 5; ++b)
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t k = 0; k < 2; ++k)
          expected.push_back((lhs[a * 6 + i * 3] + lhs[a * 6 + i * 3 + 1] + lhs[a * 6 + i * 3 + 2]) * rhs[b * 2 + k]);
  expectNear(actual, expected);
}

TEST_F(Compositions, EinsumSaysWhatAnEquationMustBe) {
  EXPECT_EQ(whyNot("ij,jk->ik", {{2, 3}}), "must have one term for each of 1 operands, but has 2");
  EXPECT_EQ(whyNot("ij->i", {{2, 3, 4}}), "must have a label for each axis, but operand 0 has 3 axes and 2 labels");
  EXPECT_EQ(whyNot("ij,jk->ik", {{2, 3}, {4, 5}}), "must use a label only for axes of equal size, but 'j' is 3 and 4");
  EXPECT_EQ(whyNot("ii->i", {{2, 3}}),
            "must repeat a label only for axes of equal size, but 'i' is 2 and 3 in one operand");
  EXPECT_EQ(whyNot("i->ij", {{2}}), "must use only labels of the operands in the result, but 'j' is in none of them");
  EXPECT_EQ(whyNot("ij->ii", {{2, 3}}), "must name each axis of the result once, but repeats one");
  EXPECT_EQ(whyNot("...i->i", {{2, 3}}), "must have the ellipsis of its operands in the result, but does not");
  EXPECT_EQ(whyNot("......->", {{2, 3}}), "must have at most one ellipsis per term, but has two");
  EXPECT_EQ(whyNot("i1", {{2, 3}}), "must consist of letters, commas, '...' and one '->', but has other characters");
  EXPECT_EQ(whyNot("i->i->i", {{2}}), "must consist of letters, commas, '...' and one '->', but has other characters");
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// Bin `bin` of `x`, real and imaginary parts in turn.
std::complex<double> binOf(const Doubles &x, int64_t bin, bool isInverse) {
  auto length = static_cast<int64_t>(x.size() / 2);
  std::complex<double> sum = 0;
  for (int64_t sample = 0; sample < length; ++sample) {
    double angle =
        2 * 3.14159265358979323846 * static_cast<double>(sample * bin % length) / static_cast<double>(length);
    sum += std::complex<double>(x[2 * sample], x[2 * sample + 1]) * std::polar(1.0, isInverse ? angle : -angle);
  }
  return isInverse ? sum / static_cast<double>(length) : sum;
}

TEST_F(Compositions, LongTransformsAreTwoShorterOnes) {
  for (int64_t length : {int64_t(12), int64_t(2100), int64_t(4096)}) {
    for (bool isInverse : {false, true}) {
      SCOPED_TRACE(length);
      Doubles x = someNumbers(2 * length, 3);
      NnBuilder build = nn();
      Doubles spectrum = read(fourier(build, make({1, length, 2}, x), length, isInverse));
      ASSERT_EQ(spectrum.size(), x.size());
      for (int64_t bin : {int64_t(0), int64_t(1), int64_t(7), length / 2, length - 1}) {
        std::complex<double> expected = binOf(x, bin, isInverse);
        EXPECT_NEAR(spectrum[2 * bin], expected.real(), 1e-8) << bin;
        EXPECT_NEAR(spectrum[2 * bin + 1], expected.imag(), 1e-8) << bin;
      }
    }
  }
}

TEST_F(Compositions, HalfASpectrumGivesTheRealSignalBack) {
  for (int64_t length : {int64_t(1), int64_t(2), int64_t(7), int64_t(8), int64_t(2050)}) {
    SCOPED_TRACE(length);
    Doubles x = someNumbers(length, 5);
    NnBuilder build = nn();
    mlir::Value half = fourier(build, make({1, length, 1}, x), length / 2 + 1, /*isInverse=*/false);
    expectNear(read(inverseRealFourier(build, half, length)), x);
  }
}

TEST_F(Compositions, ALargePrimeHasNoTransform) {
  EXPECT_TRUE(hasFourier(2039)); // is prime, and short enough
  EXPECT_FALSE(hasFourier(2053));
  EXPECT_FALSE(hasFourier(2 * 2053));
  EXPECT_TRUE(hasFourier(int64_t(1) << 30));
  EXPECT_FALSE(hasFourier(0));
}

TEST_F(Compositions, WindowsAreSumsOfCosines) {
  NnBuilder build = nn();
  mlir::Type type = builder.getF64Type();
  expectNear(read(cosineWindow(build, type, 4, /*isPeriodic=*/true, {0.5, 0.5})), {0, 0.5, 1, 0.5});
  expectNear(read(cosineWindow(build, type, 5, /*isPeriodic=*/false, {0.5, 0.5})), {0, 0.5, 1, 0.5, 0});
  expectNear(read(cosineWindow(build, type, 1, /*isPeriodic=*/false, {0.5, 0.5})), {1});
}

//===----------------------------------------------------------------------===//
// Determinants
//===----------------------------------------------------------------------===//

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

TEST_F(Compositions, DeterminantsUpToEightRows) {
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

/// Of three pairs of matrices, [3, rows, inner] and [3, inner, columns].
Doubles multiply(const Doubles &a, const Doubles &b, int64_t rows, int64_t inner, int64_t columns) {
  Doubles product(3 * rows * columns, 0.0);
  for (int64_t row = 0; row < 3 * rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t k = 0; k < inner; ++k)
        product[row * columns + column] += a[row * inner + k] * b[(row / rows * inner + k) * columns + column];
  return product;
}

TEST_F(Compositions, SystemsUpToEightRows) {
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

TEST_F(Compositions, CholeskysFactorUpToEightRows) {
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

TEST_F(Compositions, FactorsOfEliminationUpToEightRows) {
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

// Numbers of tables: between the poles, at the zeros 1 and 2 and beside them, far away, and where there is none.
TEST_F(Compositions, TheLogarithmOfGammaAndItsSlope) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Doubles x = {1e-30, 0.25, 0.5, 1, 1.0000001, 1.5, 2, 3, 10, 1e10, 1e38, -0.5, -1.5, -10.25};
  Doubles expected;
  for (double number : x)
    expected.push_back(std::lgamma(number));
  NnBuilder build = nn();
  const auto count = static_cast<int64_t>(x.size());
  Doubles actual = read(logGamma(build, make({count}, x)));
  for (int64_t index = 0; index < count; ++index)
    EXPECT_NEAR(actual[index], expected[index], 1e-14 + 2e-15 * std::abs(expected[index])) << x[index];
  Doubles poles = read(logGamma(build, make({5}, {0, -1, -7, infinity, -infinity})));
  EXPECT_EQ(poles, Doubles(5, infinity));

  // The harmonic numbers less Euler's constant, and what the reflection makes of them.
  constexpr double euler = 0.57721566490153286061, pi = 3.14159265358979323846;
  Doubles slopes = read(digamma(build, make({7}, {1, 2, 3, 0.5, -0.5, 1e10, -2.75})));
  const Doubles known = {-euler, 1 - euler, 1.5 - euler, -euler - std::log(4), 2 - euler - std::log(4),
                         std::log(1e10) - 0.5e-10,
                         // psi(3.75) = psi(0.75) + 1/0.75 + 1/1.75 + 1/2.75
                         -euler + pi / 2 - 3 * std::log(2) + 4. / 3 + 4. / 7 + 4. / 11 - pi};
  expectNear(slopes, known);
  for (double none : read(digamma(build, make({3}, {0, -1, -infinity}))))
    EXPECT_TRUE(std::isnan(none));
}

} // namespace
