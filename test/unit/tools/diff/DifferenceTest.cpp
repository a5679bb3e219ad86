// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/diff/Difference.h"
#include "tools/diff/Advice.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using nacre::diff::advise;
using nacre::diff::Difference;
using nacre::diff::isWithin;
using nacre::diff::measure;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Difference, OfEqualTensorsIsNothing) {
  const Difference d = measure(NACRE_F32, {1, -2, infinity, NAN}, {1, -2, infinity, NAN});
  EXPECT_EQ(d.largest, 0);
  EXPECT_EQ(d.signalToNoise, infinity);
  EXPECT_TRUE(isWithin(d, 0));
}

TEST(Difference, NamesTheWorstElement) {
  const Difference d = measure(NACRE_F32, {1, 2.5, 100}, {1, 2, 100});
  EXPECT_EQ(d.largest, 0.5);
  EXPECT_EQ(d.worst, 1U);
  EXPECT_EQ(d.ofLargest, 0.005);
  EXPECT_EQ(d.relative, 0.25);
  EXPECT_TRUE(isWithin(d, 0.005));
  EXPECT_FALSE(isWithin(d, 0.004));
}

TEST(Difference, CountsLastPlacesOfTheType) {
  EXPECT_EQ(measure(NACRE_F32, {1 + std::ldexp(1, -23)}, {1}).ulps, 1);
  EXPECT_EQ(measure(NACRE_F16, {1 + std::ldexp(1, -9)}, {1}).ulps, 2);
  EXPECT_EQ(measure(NACRE_F32, {std::ldexp(1, -149)}, {0}).ulps, 1); // the smallest number there is
  EXPECT_EQ(measure(NACRE_I32, {7}, {4}).ulps, 3);
  EXPECT_EQ(measure(NACRE_F64, {1 + std::ldexp(1, -52)}, {1}).ulps, 1);
  EXPECT_EQ(measure(NACRE_F8E4M3FN, {1.125}, {1}).ulps, 1);
  EXPECT_EQ(measure(NACRE_F32, {1}, {1 + std::ldexp(1, -25)}).ulps, 0.25); // the reference is not rounded
}

/// The difference of the types' codes, which a quotient by the last place of the expected number is not across
/// binades.
TEST(Difference, LastPlacesAreStepsFromNumberToNumber) {
  EXPECT_EQ(measure(NACRE_F32, {1}, {0}).ulps, 0x3f800000);
  EXPECT_EQ(measure(NACRE_F32, {-1}, {1}).ulps, 2.0 * 0x3f800000);
  EXPECT_EQ(measure(NACRE_F32, {infinity}, {1}).ulps, 0x7f800000 - 0x3f800000);
  EXPECT_EQ(measure(NACRE_F16, {2}, {1}).ulps, 1 << 10);
  EXPECT_EQ(measure(NACRE_BF16, {0}, {4}).ulps, 0x4080);
  EXPECT_EQ(measure(NACRE_F64, {1}, {0}).ulps, double(0x3ff0000000000000));
  EXPECT_EQ(measure(NACRE_F64, {-0.0}, {0}).ulps, 0);
  EXPECT_EQ(measure(NACRE_F32, {NAN}, {0}).ulps, infinity);
}

TEST(Difference, SignalToNoiseIsInDecibels) {
  EXPECT_NEAR(measure(NACRE_F32, {10.1}, {10}).signalToNoise, 40, 1e-9);
  EXPECT_EQ(measure(NACRE_F32, {1}, {0}).signalToNoise, -infinity);
}

TEST(Difference, WhatIsNoNumberIsBeyondAnyBound) {
  const Difference d = measure(NACRE_F32, {NAN, infinity, 3, 1}, {1, 2, NAN, 1});
  EXPECT_EQ(d.nans, 1U);
  EXPECT_EQ(d.infinities, 1U);
  EXPECT_EQ(d.largest, infinity);
  EXPECT_FALSE(isWithin(d, 1e9));
}

TEST(Difference, OfNothingButZerosIsBeyondAnyBound) { EXPECT_FALSE(isWithin(measure(NACRE_F32, {1}, {0}), 1e9)); }

TEST(Difference, CountsWhatHalvesCannotHold) {
  // Infinite, the largest, and 0 instead; the others are right, or wrong for another reason.
  const std::vector<double> actual = {infinity, 65504, 0, 1e6, 2, -1e-9}, expected = {1e6, -1e6, 1e-12, 1e6, 1, -1e-9};
  EXPECT_EQ(measure(NACRE_F32, actual, expected).beyondHalves, 3U);
}

TEST(Advice, FollowsWhatIsSeen) {
  Difference overflow, rounding, wrong;
  overflow.scale = 1e5;
  overflow.infinities = 1;
  overflow.ofLargest = infinity;
  rounding.ofLargest = 2e-3;
  wrong.ofLargest = 0.5;
  EXPECT_NE(advise(overflow, {/*usedGpu=*/true}).front().find("--gpu-precision=fp32"), std::string::npos);
  EXPECT_NE(advise(rounding, {}).front().find("--accuracy=strict"), std::string::npos);
  EXPECT_NE(advise(wrong, {/*usedGpu=*/true}).front().find("--place=cpu"), std::string::npos);
  EXPECT_NE(advise(wrong, {}).front().find("compiled from this model"), std::string::npos);
}

TEST(Advice, NamesHalvesInsteadOfDoubtingTheBuild) {
  Difference wrong;
  wrong.ofLargest = 0.5;
  const std::vector<std::string> lines = advise(wrong, {/*usedGpu=*/true, /*storesHalves=*/true});
  EXPECT_NE(lines.front().find("without --gpu-precision=fp16"), std::string::npos);
  for (const std::string &line : lines)
    EXPECT_EQ(line.find("compiled from this model"), std::string::npos);
}

} // namespace
