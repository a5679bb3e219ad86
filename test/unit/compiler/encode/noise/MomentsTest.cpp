// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/noise/Moments.h"

#include "gtest/gtest.h"

using namespace nacre::encode;

namespace {

Moments meanOf(double mean) { return {mean, 0, 0, 0, 1}; }

/// Returns a tensor whose last axis has other moments for each channel: means 0, 1, 2, ...
TensorMoments channelsOf(llvm::ArrayRef<int64_t> shape) {
  TensorMoments tensor = TensorMoments::uniform(shape, {});
  tensor.kept.back() = shape.back();
  tensor.numbers.clear();
  for (int64_t channel = 0; channel < shape.back(); ++channel)
    tensor.numbers.push_back(meanOf(double(channel)));
  return tensor;
}

std::vector<double> meansOf(const TensorMoments &tensor) {
  std::vector<double> means;
  for (const Moments &moments : tensor.numbers)
    means.push_back(moments.mean);
  return means;
}

TEST(Moments, RoundingAddsAShareOfThePower) {
  const Moments rounded = roundedToHalf({3, 16, 0.25, 0.5, 1});
  EXPECT_DOUBLE_EQ(rounded.noise, 0.5 + 25 * kHalfRounding);
  EXPECT_EQ(rounded.offset, 0.25);
  EXPECT_DOUBLE_EQ(rounded.scaled, 25 * kHalfRounding);
}

TEST(Moments, MergedChannelsKeepPowerAndLoseOffsets) {
  const Moments merged = mergedMoments({{1, 2, 0.5, 0, 1}, {3, 4, 0, 1, 0.5}});
  EXPECT_DOUBLE_EQ(merged.mean, 2);
  EXPECT_DOUBLE_EQ(merged.power(), (1 + 2 + 9 + 4) / 2.0);
  // The offset of a channel differs from that of another one.
  EXPECT_DOUBLE_EQ(merged.noise, (0.5 + 1) / 2);
  EXPECT_EQ(merged.offset, 0);
  EXPECT_DOUBLE_EQ(merged.nonzero, 0.75);
  EXPECT_FALSE(merged.isPositive);
}

TEST(Moments, MergedChannelsArePositiveIfAllAre) {
  const Moments merged = mergedMoments({{1, 2, 0, 3, 1, 2, true}, {3, 4, 0, 5, 0.5, 0, true}});
  EXPECT_TRUE(merged.isPositive);
  EXPECT_DOUBLE_EQ(merged.scaled, 1);
  EXPECT_FALSE(mergedMoments({{1, 2, 0, 0, 1, 0, true}, {3, 4, 0, 0, 1, 0, false}}).isPositive);
}

TEST(TensorMoments, UnitAxesMove) {
  const TensorMoments moved = channelsOf({1, 8, 8, 3}).reshaped({8, 1, 8, 3});
  EXPECT_EQ(moved.kept, (llvm::SmallVector<int64_t, 4>{1, 1, 1, 3}));
  EXPECT_EQ(meansOf(moved), (std::vector<double>{0, 1, 2}));
}

TEST(TensorMoments, FlatteningRepeatsChannels) {
  const TensorMoments flat = channelsOf({1, 2, 2, 3}).reshaped({1, 12});
  EXPECT_EQ(meansOf(flat), (std::vector<double>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
  // The other way, equal positions are shared again.
  EXPECT_EQ(meansOf(flat.reshaped({2, 2, 3})), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(meansOf(flat.reshaped({1, 2}, /*offset=*/4)), (std::vector<double>{1, 2}));
}

TEST(TensorMoments, AViewMayBeginAtAnyChannel) {
  const TensorMoments wide = channelsOf({1, 512, 512, 6});
  for (int64_t offset : {2, 2 + 6 * 512}) {
    const TensorMoments view = wide.reshaped({1, 512, 512, 6}, offset);
    EXPECT_EQ(view.kept, (llvm::SmallVector<int64_t, 4>{1, 1, 1, 6}));
    EXPECT_EQ(meansOf(view), (std::vector<double>{2, 3, 4, 5, 0, 1}));
  }
  EXPECT_EQ(meansOf(wide.reshaped({100, 6}, 6)), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(TensorMoments, PartsAreJoinedAndTaken) {
  const TensorMoments empty = TensorMoments::uniform({1, 4, 4, 5}, meanOf(9));
  const TensorMoments joined = empty.withPart(channelsOf({1, 4, 4, 3}), {0, 0, 0, 2}, {1, 1, 1, 1});
  EXPECT_EQ(meansOf(joined), (std::vector<double>{9, 9, 0, 1, 2}));
  EXPECT_EQ(meansOf(joined.sliced({0, 0, 0, 1}, {1, 4, 4, 2}, {1, 1, 1, 2})), (std::vector<double>{9, 1}));
}

TEST(TensorMoments, ABorderIsIgnored) {
  const TensorMoments border = TensorMoments::uniform({1, 6, 6, 3}, meanOf(9));
  EXPECT_EQ(meansOf(border.withPart(channelsOf({1, 4, 4, 3}), {0, 1, 1, 0}, {1, 1, 1, 1})),
            (std::vector<double>{0, 1, 2}));
  // A small part is not all of the tensor.
  EXPECT_EQ(border.withPart(channelsOf({1, 2, 6, 3}), {0, 4, 0, 0}, {1, 1, 1, 1}).kept.front(), 1);
  EXPECT_EQ(border.withPart(channelsOf({1, 2, 6, 3}), {0, 4, 0, 0}, {1, 1, 1, 1}).kept[1], 6);
}

TEST(TensorMoments, SharingMergesAlongAxes) {
  EXPECT_EQ(meansOf(channelsOf({4, 3}).sharedAlong({false, true})), (std::vector<double>{1}));
  EXPECT_EQ(meansOf(channelsOf({4, 3}).sharedAlong({true, false})), (std::vector<double>{0, 1, 2}));
}

} // namespace
