// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles of a convolution of bytes are exact, for weights at the bounds.

#include "compiler/encode/ExactTiles.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre;

namespace {

class ExactTiles : public testing::Test {
protected:
  /// A filter of 3x3 taps of so many channels and two output channels: the first zeros, the second has that many of
  /// `up`, then zeros, and that many of `down`.
  int64_t largest(int64_t channels, int64_t ups, int8_t up, int64_t downs, int8_t down, bool isUnsignedLeft) {
    SmallVector<int8_t> values(9 * channels * 2, 0);
    for (int64_t row = 0; row < 9 * channels; ++row)
      values[2 * row + 1] = row < ups ? up : row >= 9 * channels - downs ? down : 0;
    auto type = RankedTensorType::get({3, 3, channels, 2}, IntegerType::get(&context, 8));
    auto view = nn::ConstantView::get(DenseElementsAttr::get(type, ArrayRef<int8_t>(values)));
    EXPECT_TRUE(succeeded(view));
    return encode::largestExactTile(*view, isUnsignedLeft);
  }

  MLIRContext context;
};

} // namespace

TEST_F(ExactTiles, AnyWeightsOfFewChannels) {
  EXPECT_EQ(largest(64, 576, 127, 0, 0, true), 4);
  EXPECT_EQ(largest(64, 0, 0, 576, -128, true), 4);
  EXPECT_EQ(largest(64, 288, 127, 288, -128, false), 4);
}

/// 255 * 127 * 1036 is below 2^25, and one more weight is not.
TEST_F(ExactTiles, ASumOfTwoToTheTwentyFifthIsTooLarge) {
  EXPECT_EQ(largest(256, 1036, 127, 0, 0, true), 4);
  EXPECT_EQ(largest(256, 1037, 127, 0, 0, true), 2);
}

/// Positive and negative weights do not add up if inputs have no sign. If they have one, they do.
TEST_F(ExactTiles, SignsOfInputsMatter) {
  EXPECT_EQ(largest(256, 1036, 127, 1028, -128, true), 4);
  EXPECT_EQ(largest(256, 1036, 127, 1028, -128, false), 2);
  EXPECT_EQ(largest(256, 1036, 127, 1012, -128, false), 4);
}

TEST_F(ExactTiles, NoneOfEnormousSums) {
  EXPECT_EQ(largest(2048, 16577, 127, 0, 0, true), 2);
  EXPECT_EQ(largest(2048, 16578, 127, 0, 0, true), 0);
}
