// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which results of two engines count as the same.
// Why:   a self-test that is too strict switches good kernels off; one that is too lax finds nothing.
// How:   by element type: numbers that must agree, and numbers that barely must not.

#include "runtime/src/gpu_vulkan/trials/agreement.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace nacre::test {
namespace {

using namespace runtime::gpu;

template <typename T>
bool agreeAs(nacre_element_type type, const std::vector<T> &actual, const std::vector<T> &expected,
             double tolerance = kTolerance) {
  return agree(actual.data(), expected.data(), expected.size() * sizeof(T), type, tolerance);
}

TEST(Agreement, OfFloatsIsRelativeToTheLargest) {
  EXPECT_TRUE(agreeAs<float>(NACRE_F32, {100, 0.05f}, {100, 0}));
  EXPECT_FALSE(agreeAs<float>(NACRE_F32, {100, 0.2f}, {100, 0}));
  EXPECT_TRUE(agreeAs<float>(NACRE_F32, {100, 0.2f}, {100, 0}, kTolerance16));
  EXPECT_TRUE(agreeAs<double>(NACRE_F64, {-100.05, 3}, {-100, 3}));
  EXPECT_FALSE(agreeAs<double>(NACRE_F64, {100, 3}, {-100, 3}));
  EXPECT_TRUE(agreeAs<float>(NACRE_F32, {0, 0}, {0, 0}));
  EXPECT_FALSE(agreeAs<float>(NACRE_F32, {1e-30f, 0}, {0, 0}));
}

TEST(Agreement, AsksNothingOfWhatIsNoNumber) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(agreeAs<float>(NACRE_F32, {1, 5, 2}, {nan, infinity, 2}));
  EXPECT_FALSE(agreeAs<float>(NACRE_F32, {nan, 2}, {1, 2}));
  EXPECT_FALSE(agreeAs<float>(NACRE_F32, {infinity, 2}, {1, 2}));
}

TEST(Agreement, ReadsHalves) {
  // 1, -2, the smallest of all, 65504, an infinity
  const std::vector<uint16_t> halves = {0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(agreeAs<uint16_t>(NACRE_F16, {halves[i]}, {halves[i]}));
    EXPECT_FALSE(agreeAs<uint16_t>(NACRE_F16, {uint16_t(halves[i] ^ 0x8000)}, {halves[i]})) << i;
  }
  EXPECT_TRUE(agreeAs<uint16_t>(NACRE_F16, {0x3c10}, {0x3c00}));  // 1.0156 and 1
  EXPECT_FALSE(agreeAs<uint16_t>(NACRE_F16, {0x3c20}, {0x3c00})); // 1.0313
  EXPECT_TRUE(agreeAs<uint16_t>(NACRE_F16, {0}, {0x7c00}));
  EXPECT_TRUE(agreeAs<uint16_t>(NACRE_BF16, {0x3f82}, {0x3f80}));  // 1.0156 and 1
  EXPECT_FALSE(agreeAs<uint16_t>(NACRE_BF16, {0x3f84}, {0x3f80})); // 1.0313
}

TEST(Agreement, OfWholeNumbersIsExact) {
  EXPECT_TRUE(agreeAs<int32_t>(NACRE_I32, {7, -1}, {7, -1}));
  EXPECT_FALSE(agreeAs<int32_t>(NACRE_I32, {7, -1}, {7, -2}));
  EXPECT_FALSE(agreeAs<uint8_t>(NACRE_BOOL, {1}, {0}));
}

TEST(Agreement, LetsBytesBeRoundedToEitherSide) {
  EXPECT_TRUE(agreeAs<int8_t>(NACRE_I8, {-1, 5}, {0, 4}));
  EXPECT_FALSE(agreeAs<int8_t>(NACRE_I8, {-2}, {0}));
  EXPECT_FALSE(agreeAs<int8_t>(NACRE_I8, {-128}, {127}));
  EXPECT_TRUE(agreeAs<uint8_t>(NACRE_U8, {255}, {254}));
  EXPECT_FALSE(agreeAs<uint8_t>(NACRE_U8, {255}, {0}));
}

} // namespace
} // namespace nacre::test
