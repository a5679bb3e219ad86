// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/storages/AlikeParts.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

TEST(AlikeParts, PartsOfOneShapeAreCountedTogether) {
  const Place whole = Place::whole(0, {4, 800}), other = Place::whole(1, {4, 800});
  AlikeParts parts;
  for (int64_t part = 0; part < 40; ++part) {
    parts.count(whole.slice({0, part * 8}, {4, 8}));
    parts.count(whole.slice({0, part * 16}, {4, part}));
    parts.count(other.slice({0, 0}, {4, 800}));
  }
  EXPECT_TRUE(parts.areMany(whole.slice({0, 3}, {4, 8})));
  EXPECT_FALSE(parts.areMany(whole.slice({0, 0}, {2, 8})));
  EXPECT_FALSE(parts.areMany(whole.slice({0, 0}, {4, 16})));
  EXPECT_FALSE(parts.areMany(other.slice({0, 0}, {4, 8})));
  EXPECT_FALSE(parts.areMany(other));
}

TEST(AlikeParts, AContiguousPartIsAllOfItsMemory) {
  const Place part = beginWithPart(Place::whole(0, {40, 8}).slice({12, 0}, {4, 8}));
  EXPECT_EQ(part.base, 96);
  EXPECT_EQ(part.shape, (Sizes{4, 8}));
  EXPECT_TRUE(part.isWhole());
}

// Its last row ends behind the storage, where nothing is read.
TEST(AlikeParts, AStridedPartIsTheBeginningOfItsRows) {
  const Place part = beginWithPart(Place::whole(0, {4, 2, 80}).slice({1, 0, 72}, {3, 2, 8}));
  EXPECT_EQ(part.base, 160 + 72);
  EXPECT_EQ(part.shape, (Sizes{3, 2, 80}));
  EXPECT_EQ(part.offsets, (Sizes{0, 0, 0}));
  EXPECT_EQ(part.sizes, (Sizes{3, 2, 8}));
  const Place steps = beginWithPart(Place::whole(0, {8, 6}).every({2, 3}, {1, 2}, {4, 2}));
  EXPECT_EQ(steps.base, 8);
  EXPECT_EQ(steps.shape, (Sizes{7, 6}));
  EXPECT_EQ(steps.steps, (Sizes{2, 3}));
}
