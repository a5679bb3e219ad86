// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NumberText.h"
#include "gtest/gtest.h"

#include <cstring>
#include <limits>
#include <random>

using nacre::describeNumber;

TEST(NumberText, IsAsPeopleWrite) {
  EXPECT_EQ(describeNumber(6), "6");
  EXPECT_EQ(describeNumber(0), "0");
  EXPECT_EQ(describeNumber(-0.5), "-0.5");
  EXPECT_EQ(describeNumber(12.25), "12.25");
  EXPECT_EQ(describeNumber(1000000), "1000000");
  EXPECT_EQ(describeNumber(0.0001), "0.0001");
  EXPECT_EQ(describeNumber(0.00012), "0.00012");
}

TEST(NumberText, HasAnExponentIfItWouldBeLong) {
  EXPECT_EQ(describeNumber(1e-12), "1e-12");
  EXPECT_EQ(describeNumber(-1.5e-5), "-1.5e-5");
  EXPECT_EQ(describeNumber(1e15), "1000000000000000");
  EXPECT_EQ(describeNumber(1e16), "1e16");
  EXPECT_EQ(describeNumber(1.25e300), "1.25e300");
}

TEST(NumberText, HasTheDigitsOfAFloatIfAFloatHoldsIt) {
  EXPECT_EQ(describeNumber(0.1), "0.1");
  EXPECT_EQ(describeNumber(0.1F), "0.1");
  EXPECT_EQ(describeNumber(1e-12F), "1e-12");
  EXPECT_EQ(describeNumber(std::numeric_limits<float>::max()), "3.4028235e38");
  EXPECT_EQ(describeNumber(1.0 / 3), "0.3333333333333333");
}

TEST(NumberText, NamesInfinities) {
  EXPECT_EQ(describeNumber(std::numeric_limits<double>::infinity()), "infinity");
  EXPECT_EQ(describeNumber(-std::numeric_limits<float>::infinity()), "-infinity");
  EXPECT_EQ(describeNumber(std::numeric_limits<double>::quiet_NaN()), "NaN");
}

TEST(NumberText, RoundsEstimates) {
  EXPECT_EQ(describeNumber(0.083721, 4), "0.08372");
  EXPECT_EQ(describeNumber(69999.97, 4), "70000");
  EXPECT_EQ(describeNumber(2.04e-9, 2), "2e-9");
}

TEST(NumberText, ReadsBackAsTheSameValue) {
  std::mt19937_64 random(1);
  for (int count = 0; count < 20000; ++count) {
    const uint64_t bits = random();
    const auto half = static_cast<uint32_t>(bits);
    double value;
    float single;
    std::memcpy(&value, &bits, sizeof value);
    std::memcpy(&single, &half, sizeof single);
    if (std::isfinite(value)) {
      ASSERT_EQ(std::strtod(describeNumber(value).c_str(), nullptr), value);
    }
    if (std::isfinite(single)) {
      ASSERT_EQ(std::strtof(describeNumber(single).c_str(), nullptr), single);
    }
  }
}
