// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logarithm of the gamma function and its slope.

#include "compiler/import/compositions/special/Gamma.h"

#include "test/unit/compiler/import/compositions/FoldedNumbers.h"
#include <limits>

using namespace nacre;
using namespace nacre::importer;

namespace {

using Gamma = FoldedNumbers;

// Compares with tables: between the poles and at them, at the zeros 1 and 2 and near them, and far away.
TEST_F(Gamma, TheLogarithmOfGammaAndItsSlope) {
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
