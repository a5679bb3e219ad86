// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/storages/StorageLayout.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

namespace {

StorageShape makeStorage(llvm::ArrayRef<int64_t> shape) {
  StorageShape storage;
  storage.shape = Sizes(shape);
  storage.low = storage.high = Sizes(shape.size(), 0);
  return storage;
}

} // namespace

TEST(StorageLayout, ARowOfAMatrixIsContiguousAndAColumnIsNot) {
  Place whole = Place::whole(0, {4, 8});
  EXPECT_TRUE(whole.slice({2, 0}, {1, 8}).isContiguous());
  EXPECT_TRUE(whole.slice({1, 0}, {2, 8}).isContiguous());
  EXPECT_TRUE(whole.slice({2, 4}, {1, 4}).isContiguous());
  EXPECT_FALSE(whole.slice({0, 0}, {2, 4}).isContiguous());
}

TEST(StorageLayout, SlicesOfSlicesAddUp) {
  Place part = Place::whole(0, {8, 16}).slice({2, 4}, {4, 8}).slice({1, 2}, {1, 2});
  EXPECT_EQ(part.offsets, (Sizes{3, 6}));
  EXPECT_EQ(part.getFirstElement(), 3 * 16 + 6);
}

TEST(StorageLayout, StepsOfStepsMultiply) {
  Place part = Place::whole(0, {16, 8}).every({2, 1}, {1, 0}, {8, 8}).every({4, 1}, {2, 0}, {2, 8});
  EXPECT_EQ(part.offsets, (Sizes{1 + 2 * 2, 0}));
  EXPECT_EQ(part.steps, (Sizes{8, 1}));
  EXPECT_TRUE(part.hasSteps());
}

// Between its elements are others': it is no view under another shape, and what is beside it is no halo.
TEST(StorageLayout, WhatHasStepsIsNeitherReshapedNorPadded) {
  StorageShape storage = makeStorage({1, 4, 8});
  Place part = Place::whole(0, storage.shape).every({1, 2, 1}, {0, 0, 0}, {1, 2, 8});
  EXPECT_FALSE(part.reshape({16}));
  EXPECT_FALSE(growIntoHalo(storage, part, {0, 1, 0}, {0, 1, 0}));
  ASSERT_TRUE(growIntoHalo(storage, Place::whole(0, storage.shape), {0, 1, 0}, {0, 1, 0}));
  EXPECT_EQ(getWrittenRegion(storage, part).offsets, part.offsets);
}

TEST(StorageLayout, AContiguousSliceMayBeReshaped) {
  std::optional<Place> view = Place::whole(0, {4, 8}).slice({2, 0}, {2, 8}).reshape({4, 4});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->base, 16);
  EXPECT_TRUE(view->isWhole());
  EXPECT_FALSE(Place::whole(0, {4, 8}).slice({0, 0}, {4, 4}).reshape({16}));
}

TEST(StorageLayout, APadRaisesTheHaloToTheLargestAskedFor) {
  StorageShape storage = makeStorage({1, 4, 4, 8});
  Place whole = Place::whole(0, storage.shape);
  ASSERT_TRUE(growIntoHalo(storage, whole, {0, 1, 1, 0}, {0, 1, 1, 0}));
  std::optional<Place> grown = growIntoHalo(storage, whole, {0, 2, 0, 0}, {0, 0, 0, 0});
  ASSERT_TRUE(grown);
  EXPECT_EQ(storage.low, (Sizes{0, 2, 1, 0}));
  EXPECT_EQ(storage.high, (Sizes{0, 1, 1, 0}));
  EXPECT_EQ(grown->offsets, (Sizes{0, -2, 0, 0}));
  EXPECT_EQ(storage.getMemoryShape(), (Sizes{1, 7, 6, 8}));
}

TEST(StorageLayout, APadOfAPadGoesFurtherIntoTheHalo) {
  StorageShape storage = makeStorage({4, 4, 8});
  std::optional<Place> once = growIntoHalo(storage, Place::whole(0, storage.shape), {1, 0, 0}, {1, 0, 0});
  ASSERT_TRUE(once);
  ASSERT_TRUE(growIntoHalo(storage, *once, {1, 0, 0}, {1, 0, 0}));
  EXPECT_EQ(storage.low, (Sizes{2, 0, 0}));
  EXPECT_EQ(storage.high, (Sizes{2, 0, 0}));
}

TEST(StorageLayout, DenseStoragesAndChannelsGetNoHalo) {
  StorageShape storage = makeStorage({4, 8});
  EXPECT_FALSE(growIntoHalo(storage, Place::whole(0, storage.shape), {0, 1}, {0, 0}));
  storage.isDense = true;
  EXPECT_FALSE(growIntoHalo(storage, Place::whole(0, storage.shape), {1, 0}, {0, 0}));
  EXPECT_FALSE(storage.hasHalo());
}

TEST(StorageLayout, HalosThatTogetherExceedMemoryAreRefused) {
  const int64_t wide = int64_t(1) << 30;
  StorageShape storage = makeStorage({1, 1, 1});
  Place whole = Place::whole(0, storage.shape);
  EXPECT_TRUE(growIntoHalo(storage, whole, {wide, 0, 0}, {0, 0, 0}));
  EXPECT_FALSE(growIntoHalo(storage, whole, {0, wide, 0}, {0, 0, 0}));
  EXPECT_EQ(storage.low, (Sizes{wide, 0, 0}));
}

TEST(StorageLayout, BesideAnotherTensorThereIsNoHalo) {
  StorageShape storage = makeStorage({8, 4});
  Place second = Place::whole(0, storage.shape).slice({4, 0}, {4, 4});
  EXPECT_FALSE(growIntoHalo(storage, second, {1, 0}, {0, 0}));
  EXPECT_TRUE(growIntoHalo(storage, second, {0, 0}, {1, 0}));
}

TEST(StorageLayout, PartsShareTheHaloBetweenThem) {
  // Two halves along the channels write all of the spatial halo, each for its channels.
  StorageShape storage = makeStorage({4, 8});
  storage.low = {1, 0};
  storage.high = {2, 0};
  Place whole = Place::whole(0, storage.shape);
  Place left = getWrittenRegion(storage, whole.slice({0, 0}, {4, 4}));
  EXPECT_EQ(left.offsets, (Sizes{-1, 0}));
  EXPECT_EQ(left.sizes, (Sizes{7, 4}));
  // Two halves along the rows take one end each.
  Place top = getWrittenRegion(storage, whole.slice({0, 0}, {2, 8}));
  EXPECT_EQ(top.offsets, (Sizes{-1, 0}));
  EXPECT_EQ(top.sizes, (Sizes{3, 8}));
}
