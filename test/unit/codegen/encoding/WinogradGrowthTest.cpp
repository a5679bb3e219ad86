// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much weights may grow for Winograd, and where growth is spent.

#include "codegen/encoding/WinogradGrowth.h"

#include "gtest/gtest.h"

using namespace nacre::codegen;

/// Tiles of 4x4 read 6x6 products of 3x3 taps.
TEST(WinogradGrowth, FiltersGrowByTheirTiles) {
  EXPECT_DOUBLE_EQ(winogradGrowth(2), 16. / 9);
  EXPECT_DOUBLE_EQ(winogradGrowth(4), 4);
}

TEST(WinogradGrowth, WeightsGrowAsMuchAsTheUserSays) {
  EXPECT_DOUBLE_EQ(mostGrowth(1000, std::nullopt), 250);
  EXPECT_DOUBLE_EQ(mostGrowth(1e9, std::nullopt), 3 << 20);
  EXPECT_DOUBLE_EQ(mostGrowth(1e9, 300), 3e9);
  EXPECT_DOUBLE_EQ(mostGrowth(1e9, 0), 0);
}

TEST(WinogradGrowth, LittleIsNotWorthTheRounding) {
  EXPECT_DOUBLE_EQ(cyclesSaved(100, 60), 40);
  EXPECT_DOUBLE_EQ(cyclesSaved(100, 85), 0);
  EXPECT_DOUBLE_EQ(cyclesSaved(100, 200), 0);
}

TEST(WinogradGrowth, GrowthGoesWhereItSavesMost) {
  const GrowthOffers cheap = {{2, 50, 10}, {4, 75, 40}}, dear = {{2, 50, 100}, {4, 75, 400}};
  using Tiles = llvm::SmallVector<int64_t>;
  EXPECT_EQ(spendGrowth({cheap, dear}, 0), Tiles({0, 0}));
  EXPECT_EQ(spendGrowth({cheap, dear}, 39), Tiles({2, 0}));
  EXPECT_EQ(spendGrowth({cheap, dear}, 40), Tiles({4, 0}));
  EXPECT_EQ(spendGrowth({dear, cheap}, 140), Tiles({2, 4}));
  EXPECT_EQ(spendGrowth({cheap, dear}, 440), Tiles({4, 4}));
}

/// Larger tiles may be the better offer from the start, and what saves nothing is never taken.
TEST(WinogradGrowth, OffersAreTakenForWhatTheySave) {
  using Tiles = llvm::SmallVector<int64_t>;
  EXPECT_EQ(spendGrowth({{{2, 10, 100}, {4, 90, 200}}}, 200), Tiles({4}));
  EXPECT_EQ(spendGrowth({{{2, 10, 100}, {4, 5, 200}}}, 1000), Tiles({2}));
  EXPECT_EQ(spendGrowth({{{2, 0, 1}, {4, 0, 2}}, {}}, 1000), Tiles({0, 0}));
}
