// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales of TensorFlow Lite as fixed-point numbers: constants of layers whose answers are recorded, and the value that
// each would have in the other precision.

#include "compiler/import/tflite/quantized/FixedPointFunctions.h"
#include "compiler/import/tflite/quantized/FixedScales.h"
#include "compiler/import/tflite/quantized/InterpolatedTables.h"

#include "gtest/gtest.h"

namespace nacre::importer::tflite_format {
namespace {

void expectNumber(FixedPoint number, int32_t multiplier, int32_t shift) {
  EXPECT_EQ(number.multiplier, multiplier);
  EXPECT_EQ(number.shift, shift);
}

TEST(FixedScales, ProductsOfConvolutionsHaveDoublePrecision) {
  const float input = 0x1.1aa378p-7F, filter = 0x1.d344d4p-8F, result = 0x1.d1c628p-7F;
  expectNumber(scaleOfProducts(input, filter, result), 1189276544, -7);
  expectNumber(scaleOfSingleProducts(input, filter, result), 1189276495, -7);
}

TEST(FixedScales, SumsAreOnTwiceTheLargerScale) {
  SumScales scales = scalesOfSum(0x1.f149d4p-7F, 0x1.5be5aep-7F, 0x1.be3f5ep-7F, 15);
  expectNumber(scales.lhs, 1 << 30, 0); // one half
  expectNumber(scales.rhs, 1502354634, -1);
  expectNumber(scales.result, 1196554178, -13);
}

TEST(FixedScales, SlopesHaveSinglePrecision) {
  const float input = 0x1.7e8682p-8F, result = 0x1.303cb6p-8F;
  expectNumber(scaleOfSlope(input, 0.3F, result), 1620052864, -1);
  expectNumber(scaleOfSlope(input, 1, result), 1350044032, 1);
  expectNumber(scaleBetween(input, result), 1350044005, 1);
}

TEST(FixedScales, ScalesBetweenIntegersHaveDoublePrecision) {
  expectNumber(scaleBetween(0x1.4p-23F, 0x1.e360eap-11F), 1421649219, -12);
  expectNumber(scaleBetween(1, 1), 1 << 30, 1);
}

TEST(FixedScales, QuotientsHaveSinglePrecision) {
  expectNumber(scaleOfQuotient(0x1.99999ap-5F, 0x1.1eb852p-4F, 0x1.eb851ep-6F), 1597830144, 5);
}

TEST(FixedScales, PowersOfTwoAreFoundNearby) {
  EXPECT_EQ(findPowerOfTwo(0x1p-12F), -12);
  EXPECT_EQ(findPowerOfTwo(0x1.001p-12F), -12);
  EXPECT_EQ(findPowerOfTwo(0x1.01p-12F), std::nullopt);
}

/// A number of Q0 as a real.
double toReal(int32_t raw) { return static_cast<double>(raw) / 2147483648.0; }

TEST(FixedPointFunctions, AreNearWhatTheyStandFor) {
  for (int32_t x = 0; x > -(15 << 26); x -= 7777777) {
    const double real = static_cast<double>(x) / (1 << 26);
    EXPECT_NEAR(toReal(expOfNegative(x, 5)), std::exp(real), 2e-7) << real;
  }
  for (int64_t x = 0; x < INT32_MAX; x += 77777777) {
    const double real = static_cast<double>(x) / 2147483648.0;
    EXPECT_NEAR(toReal(reciprocalOfOnePlus(static_cast<int32_t>(x))), 1 / (1 + real), 2e-7) << real;
    EXPECT_NEAR(toReal(oneMinusOverOnePlus(static_cast<int32_t>(x))), (1 - real) / (1 + real), 2e-7) << real;
  }
  for (int64_t x = -(int64_t(15) << 27); x < int64_t(15) << 27; x += 33333333) {
    const double real = static_cast<double>(x) / (1 << 27);
    EXPECT_NEAR(toReal(logistic(static_cast<int32_t>(x))), 1 / (1 + std::exp(-real)), 2e-7) << real;
    EXPECT_NEAR(toReal(hyperbolicTangent(static_cast<int32_t>(x))), std::tanh(real), 2e-7) << real;
  }
}

double toReal(FixedPoint number) { return std::ldexp(toReal(number.multiplier), number.shift); }

TEST(FixedPointFunctions, HaveReciprocals) {
  for (int64_t x = 2; x < INT32_MAX; x = x * 3 / 2) {
    const auto number = static_cast<double>(x);
    EXPECT_NEAR(toReal(reciprocal(static_cast<int32_t>(x))) * number, 1, 1e-6) << x;
    EXPECT_NEAR(toReal(reciprocalRoot(static_cast<int32_t>(x))) * std::sqrt(number), 1, 2e-6) << x;
  }
  expectNumber(reciprocalRoot(0), INT32_MAX, 0);
}

TEST(InterpolatedTables, AreNearWhatTheyStandFor) {
  const Entries16 exponentials =
      makeEntries16<double>({10.0 / 65535, 32767}, {2.0 / 65535, 0}, [](double x) { return std::exp(x); });
  const LogisticTable sigmoid(0x1.9p-12F, /*isTanh=*/false), tangent(0x1.9p-12F, /*isTanh=*/true);
  for (int x = INT16_MIN; x <= INT16_MAX; x += 31) {
    const auto code = static_cast<int16_t>(x);
    const double real = static_cast<double>(x) * 0x1.9p-12;
    EXPECT_NEAR(interpolate16(exponentials, code) / 32768.0, std::exp((x - 32767) * 10.0 / 65535), 2e-4) << x;
    EXPECT_NEAR(sigmoid(code) / 32768.0, 1 / (1 + std::exp(-real)), 1e-4) << x;
    EXPECT_NEAR(tangent(code) / 32768.0, std::tanh(real), 1e-4) << x;
  }
  EXPECT_FALSE(LogisticTable(3, /*isTanh=*/false).isPossible());
}

TEST(FixedPointFunctions, HaveTheirEnds) {
  EXPECT_EQ(expOfNegative(0, 5), INT32_MAX);
  EXPECT_EQ(logistic(0), 1 << 30);
  EXPECT_EQ(hyperbolicTangent(0), 0);
  EXPECT_EQ(getInputRadius(5, 20), 1984);
  EXPECT_EQ(getInputRadius(4, 24), 120);
}

} // namespace
} // namespace nacre::importer::tflite_format
