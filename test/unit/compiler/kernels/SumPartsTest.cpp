// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/SumParts.h"

#include <gtest/gtest.h>

using namespace nacre::kernels;

namespace {

TEST(SumParts, ALayerHasAtLeastAsManyWorkgroupsAsALargeGpuHasUnits) {
  // Mentee's, batch 128: conv2, conv3, conv4, conv5.
  EXPECT_EQ(choosePartsOf({576, 64, 128, 16, 16}).images, 64);
  EXPECT_EQ(choosePartsOf({576, 128, 128, 16, 16}).images, 32);
  EXPECT_EQ(choosePartsOf({1152, 128, 128, 8, 8}).images, 16);
  EXPECT_EQ(choosePartsOf({1152, 256, 128, 8, 8}).images, 8);
}

TEST(SumParts, RowsAreDividedIfImagesAreTooFew) {
  const SumParts first = choosePartsOf({27, 64, 128, 32, 32});
  EXPECT_EQ(first.images, 128);
  EXPECT_EQ(first.rows, 2);
  const SumParts one = choosePartsOf({576, 64, 1, 56, 56});
  EXPECT_EQ(one.images, 1);
  EXPECT_EQ(one.rows, 14);
}

TEST(SumParts, PartsAreEqual) {
  for (int64_t images = 1; images < 40; ++images)
    for (int64_t rows = 1; rows < 20; ++rows) {
      const SumParts parts = choosePartsOf({64, 64, images, rows, 64});
      EXPECT_EQ(images % parts.images, 0);
      EXPECT_EQ(rows % parts.rows, 0);
    }
}

TEST(SumParts, NoPartIsShort) {
  EXPECT_EQ(choosePartsOf({9, 16, 2, 8, 8}).count(), 1);
  EXPECT_EQ(choosePartsOf({9, 16, 64, 8, 8}).count(), 32);
}

TEST(SumParts, ManyTilesNeedNoParts) { EXPECT_EQ(choosePartsOf({4608, 512, 128, 7, 7}).count(), 1); }

TEST(SumParts, ProductsOfLongRowsAreDivided) {
  EXPECT_EQ(choosePartsOfProduct(128, 512, 4096), 16); // Mentee's fc1.
  EXPECT_EQ(choosePartsOfProduct(128, 512, 1600), 16); // The gradient of an LSTM's weight.
}

TEST(SumParts, ProductsThatNoTileDividesHaveShorterParts) {
  EXPECT_EQ(choosePartsOfProduct(12, 512, 1600), 32);
  EXPECT_EQ(choosePartsOfProduct(512, 6, 1600), 32);
  EXPECT_EQ(choosePartsOfProduct(6, 512, 1600), 1);  // A workgroup divides it.
  EXPECT_EQ(choosePartsOfProduct(16, 512, 1600), 1); // So does a tile of 16 rows.
  EXPECT_EQ(choosePartsOfProduct(12, 16, 1600), 1);
}

TEST(SumParts, ProductsThatOneLaunchComputesAsFastStay) {
  EXPECT_EQ(choosePartsOfProduct(128, 512, 512), 1);    // Short.
  EXPECT_EQ(choosePartsOfProduct(2048, 4096, 4096), 1); // Enough tiles.
  EXPECT_EQ(choosePartsOfProduct(1, 4096, 4096), 1);    // A matrix by a vector.
  EXPECT_EQ(choosePartsOfProduct(128, 10, 4096), 1);
  EXPECT_EQ(choosePartsOfProduct(128, 512, 1031), 1); // A prime.
}

TEST(SumParts, OnlyLongSumsOfFewResultsAreAddedUpByImages) {
  EXPECT_TRUE(isSummedByImages(64, 128, 128 * 1024));
  EXPECT_FALSE(isSummedByImages(64, 128, 128));
  EXPECT_FALSE(isSummedByImages(256, 128, 128 * 64));
  EXPECT_FALSE(isSummedByImages(2048, 128, 128 * 64));
  EXPECT_FALSE(isSummedByImages(64, 2, 2 * 4096));
}

} // namespace
