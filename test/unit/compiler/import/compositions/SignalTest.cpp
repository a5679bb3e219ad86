// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms and windows.

#include "compiler/import/compositions/Signal.h"

#include "test/unit/compiler/import/compositions/FoldedNumbers.h"
#include <complex>

using namespace nacre;
using namespace nacre::importer;

namespace {

using Signal = FoldedNumbers;

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

TEST_F(Signal, LongTransformsAreTwoShorterOnes) {
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

TEST_F(Signal, HalfASpectrumGivesTheRealSignalBack) {
  for (int64_t length : {int64_t(1), int64_t(2), int64_t(7), int64_t(8), int64_t(2050)}) {
    SCOPED_TRACE(length);
    Doubles x = someNumbers(length, 5);
    NnBuilder build = nn();
    mlir::Value half = fourier(build, make({1, length, 1}, x), length / 2 + 1, /*isInverse=*/false);
    expectNear(read(inverseRealFourier(build, half, length)), x);
  }
}

TEST_F(Signal, ALargePrimeHasNoTransform) {
  EXPECT_TRUE(hasFourier(2039)); // is prime, and short enough
  EXPECT_FALSE(hasFourier(2053));
  EXPECT_FALSE(hasFourier(2 * 2053));
  EXPECT_TRUE(hasFourier(int64_t(1) << 30));
  EXPECT_FALSE(hasFourier(0));
}

TEST_F(Signal, WindowsAreSumsOfCosines) {
  NnBuilder build = nn();
  mlir::Type type = builder.getF64Type();
  expectNear(read(cosineWindow(build, type, 4, /*isPeriodic=*/true, {0.5, 0.5})), {0, 0.5, 1, 0.5});
  expectNear(read(cosineWindow(build, type, 5, /*isPeriodic=*/false, {0.5, 0.5})), {0, 0.5, 1, 0.5, 0});
  expectNear(read(cosineWindow(build, type, 1, /*isPeriodic=*/false, {0.5, 0.5})), {1});
}

} // namespace
