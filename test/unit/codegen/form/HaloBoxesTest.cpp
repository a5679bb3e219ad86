// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A halo's boxes must cover each element of the border once and the interior never, and name their owner.

#include "codegen/form/HaloBoxes.h"

#include "gtest/gtest.h"
#include <map>
#include <vector>

using namespace nacre::codegen;

namespace {

/// Returns how often each element of a three-dimensional `outer` is in one of `boxes`.
std::map<std::vector<int64_t>, int> countElements(const llvm::SmallVector<Box> &boxes) {
  std::map<std::vector<int64_t>, int> counts;
  for (const Box &box : boxes)
    for (int64_t i = 0; i < box.sizes[0]; ++i)
      for (int64_t j = 0; j < box.sizes[1]; ++j)
        for (int64_t k = 0; k < box.sizes[2]; ++k)
          ++counts[{box.offsets[0] + i, box.offsets[1] + j, box.offsets[2] + k}];
  return counts;
}

TEST(HaloBoxes, CoverTheBorderOnce) {
  const Box outer{{0, 0, 0}, {6, 7, 8}}, inner{{1, 2, 0}, {4, 3, 7}};
  for (int64_t axis = 0; axis < 3; ++axis) {
    auto counts = countElements(subtractBox(outer, inner, axis));
    EXPECT_EQ(counts.size(), 6u * 7 * 8 - 4 * 3 * 7);
    for (const auto &[element, count] : counts)
      EXPECT_EQ(count, 1);
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 3; ++j)
        EXPECT_EQ(counts.count({1 + i, 2 + j, 0}), 0u);
  }
}

TEST(HaloBoxes, LieBesideTheInteriorOrWhollyBeyondIt) {
  const Box outer{{0, 0, 0}, {6, 7, 8}}, inner{{1, 2, 0}, {4, 3, 7}};
  llvm::SmallVector<Box> boxes = subtractBox(outer, inner, 1);
  // Two beyond the ends of axis 1, each of the whole extent of the other axes; the rest spans the interior there.
  ASSERT_GE(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].sizes, (llvm::SmallVector<int64_t>{6, 2, 8}));
  EXPECT_EQ(boxes[1].offsets[1], 5);
  for (size_t i = 2; i < boxes.size(); ++i) {
    EXPECT_EQ(boxes[i].offsets[1], 2);
    EXPECT_EQ(boxes[i].sizes[1], 3);
  }
}

TEST(HaloBoxes, NoneWhereThereIsNoBorder) {
  const Box box{{3, 4}, {5, 6}};
  EXPECT_TRUE(subtractBox(box, box, 0).empty());
}

} // namespace

/// Whatever a share of the cut axis is, the units of its first and its last index write what lies beyond its ends.
TEST(HaloBoxes, EveryBoxHasAnOwner) {
  const std::vector<int64_t> shape = {4, 5}, low = {1, 2}, high = {3, 0};
  using Owner = HaloBox::Owner;
  for (unsigned axis : {0u, 1u}) {
    std::map<Owner, int64_t> elements;
    for (const HaloBox &box : cutHalo(shape, low, high, axis))
      elements[box.owner] += box.sizes[0] * box.sizes[1];
    const int64_t across = axis == 0 ? 7 : 8, all = 8 * 7 - 4 * 5;
    EXPECT_EQ(elements[Owner::First], low[axis] * across);
    EXPECT_EQ(elements[Owner::Last], high[axis] * across);
    EXPECT_EQ(elements[Owner::Alongside], all - (low[axis] + high[axis]) * across);
  }
}
