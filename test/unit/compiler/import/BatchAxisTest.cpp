// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a batch after a reshape: the order of elements decides, checked element by element for all
// small shapes.

#include "compiler/import/batch/BatchAxis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"
#include <functional>
#include <numeric>
#include <vector>

using namespace nacre::importer;

namespace {

using Shape = llvm::SmallVector<int64_t>;

int64_t countElements(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

/// The row of each element, in row-major order.
std::vector<int64_t> rowsOf(const Shape &shape, const BatchPlace &place, int64_t batch) {
  const int64_t outer = countOuter(shape, place), inner = countElements(shape) / (outer * batch);
  std::vector<int64_t> rows;
  for (int64_t block = 0; block < outer; ++block)
    for (int64_t row = 0; row < batch; ++row)
      rows.insert(rows.end(), inner, row);
  return rows;
}

/// All shapes of up to `rank` axes with `elements` elements.
void forAllShapes(int64_t elements, size_t rank, const std::function<void(const Shape &)> &run) {
  std::function<void(Shape, int64_t)> extend = [&](const Shape &shape, int64_t rest) {
    if (rest == 1)
      run(shape);
    if (shape.size() == rank)
      return;
    for (int64_t size = 1; size <= rest; ++size)
      if (rest % size == 0) {
        Shape longer = shape;
        longer.push_back(size);
        extend(longer, rest / size);
      }
  };
  extend({}, elements);
}

TEST(BatchAxis, AReshapeKeepsTheRowOfEveryElement) {
  int64_t reshapes = 0;
  for (int64_t batch : {1, 2, 3})
    forAllShapes(12, 4, [&](const Shape &from) {
      for (int64_t axis = 0; axis < int64_t(from.size()); ++axis) {
        if (from[axis] != batch)
          continue;
        forAllShapes(12, 4, [&](const Shape &to) {
          std::optional<BatchAxis> place = throughReshape(from, to, BatchPlace{axis}, batch);
          if (!place)
            return;
          ++reshapes;
          ASSERT_EQ(to[place->axis], place->sizeFor(batch));
          for (const BatchPlace &choice : place->choices)
            EXPECT_EQ(rowsOf(from, BatchPlace{axis}, batch), rowsOf(to, choice, batch));
          // For another batch, too, the elements of both shapes are in the same order.
          Shape larger = from, largerTo = to;
          larger[axis] = 5;
          largerTo[place->axis] = place->sizeFor(5);
          ASSERT_EQ(countElements(larger), countElements(largerTo));
          EXPECT_EQ(rowsOf(larger, BatchPlace{axis}, 5), rowsOf(largerTo, *place, 5));
        });
      }
    });
  EXPECT_GT(reshapes, 1000);
}

TEST(BatchAxis, AnAxisOfItsOwnIsPreferred) {
  std::optional<BatchAxis> place = throughReshape({1, 4, 6}, {1, 24}, BatchPlace{0}, 1);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->axis, 0);
  EXPECT_TRUE(place->isAxisOfItsOwn());
}

TEST(BatchAxis, KeepsItsNumberAmongAxesOfSizeOne) {
  std::optional<BatchAxis> first = throughReshape({1, 64}, {1, 1, 64}, BatchPlace{0}, 1);
  std::optional<BatchAxis> second = throughReshape({2, 1, 64}, {2, 1, 1, 64}, BatchPlace{1}, 1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->axis, 0);
  EXPECT_TRUE(first->mayBe({1}));
  EXPECT_EQ(second->axis, 1);
  EXPECT_TRUE(second->mayBe({2}));
  EXPECT_TRUE(second->mayBe({0, 2, 1}));
}

// [batch 1, steps 5, 6] as [5, 6]: the rows are the outer part of axis 0. [5, 1, 6] as [5, 6]: they are the inner part.
TEST(BatchAxis, ARemovedAxisIsMergedWithANeighbour) {
  std::optional<BatchAxis> outer = throughReshape({1, 5, 6}, {5, 6}, BatchPlace{0}, 1);
  std::optional<BatchAxis> inner = throughReshape({5, 1, 6}, {5, 6}, BatchPlace{1}, 1);
  ASSERT_TRUE(outer && inner);
  EXPECT_EQ(std::make_pair(outer->outer, outer->inner), std::make_pair(int64_t(1), int64_t(5)));
  EXPECT_EQ(std::make_pair(inner->outer, inner->inner), std::make_pair(int64_t(5), int64_t(1)));
  EXPECT_EQ(inner->axis, 0);
}

// After a transpose, an axis that was a choice may be at another position: moving there would move elements.
TEST(BatchAxis, ChoicesAtAnotherPositionAreDropped) {
  const BatchAxis place = withChoices({1, 2, 1, 1, 6}, BatchPlace{2}, {BatchPlace{0}, BatchPlace{2}, BatchPlace{3}});
  EXPECT_EQ(place.axis, 2);
  EXPECT_TRUE(place.mayBe({3}));
  EXPECT_FALSE(place.mayBe({0}));
}

// [3, 2] as [2, 3] for a batch of 3: each row of 2 elements is torn apart.
TEST(BatchAxis, RowsThatAreTornApartHaveNoPlace) {
  EXPECT_FALSE(throughReshape({3, 2}, {2, 3}, BatchPlace{0}, 3));
  EXPECT_FALSE(throughReshape({0, 2}, {2, 0}, BatchPlace{1}, 2));
}

} // namespace
