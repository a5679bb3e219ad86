// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra is checked against arrays that are really transposed and reshaped, for every permutation of small ranks.

#include "dialects/nn/Permutation.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <numeric>

using namespace nacre::nn;

namespace {

using Array = std::vector<int>;

int64_t countOf(Dims shape) { return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>()); }

/// A row-major array, its axes reordered.
Array transposed(const Array &array, Dims shape, Dims permutation) {
  Permutation strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  llvm::SmallVector<int64_t> to = permute(shape, permutation);
  Array result;
  for (int64_t flat = 0; flat < countOf(shape); ++flat) {
    int64_t rest = flat, from = 0;
    for (size_t axis = to.size(); axis-- > 0; rest /= to[axis])
      from += rest % to[axis] * strides[permutation[axis]];
    result.push_back(array[from]);
  }
  return result;
}

Array numbered(Dims shape) {
  Array array(countOf(shape));
  std::iota(array.begin(), array.end(), 0);
  return array;
}

template <typename Body> void forEachPermutation(size_t rank, Body &&body) {
  Permutation permutation = identityPermutation(rank);
  do
    body(permutation);
  while (std::next_permutation(permutation.begin(), permutation.end()));
}

TEST(Permutation, ComposesAndInverts) {
  forEachPermutation(3, [](const Permutation &first) {
    EXPECT_TRUE(isIdentity(compose(first, inverse(first))));
    EXPECT_TRUE(isIdentity(compose(inverse(first), first)));
    forEachPermutation(3, [&](const Permutation &second) {
      Array once = transposed(numbered({2, 3, 5}), {2, 3, 5}, first);
      Array twice = transposed(once, permute(Dims({2, 3, 5}), first), second);
      EXPECT_EQ(twice, transposed(numbered({2, 3, 5}), {2, 3, 5}, compose(first, second)));
    });
  });
}

TEST(Permutation, KnowsWhatLeavesElementsInPlace) {
  for (const Permutation &shape : {Permutation{1, 3, 1, 2}, Permutation{2, 1, 1, 1}, Permutation{2, 3, 2, 1}})
    forEachPermutation(4, [&](const Permutation &permutation) {
      EXPECT_EQ(movesOnlyUnits(shape, permutation), transposed(numbered(shape), shape, permutation) == numbered(shape));
    });
}

TEST(Permutation, MovesAndDropsAxes) {
  EXPECT_EQ(moveAxes({2, 3}, {0, 2, 3, 1}), (llvm::SmallVector<int64_t>{1, 2}));
  EXPECT_EQ(moveAxes({1}, {0, 2, 3, 1}), (llvm::SmallVector<int64_t>{3}));
  EXPECT_EQ(dropAxes({0, 2, 3, 1}, {2, 3}), (Permutation{0, 1}));
  EXPECT_EQ(dropAxes({3, 1, 2, 0}, {1}), (Permutation{2, 1, 0}));
}

/// Whatever throughReshape answers, transposing then reshaping must be reshaping then transposing.
void expectCommutes(Dims from, Dims to, unsigned answers) {
  unsigned answered = 0;
  forEachPermutation(from.size(), [&](const Permutation &permutation) {
    std::optional<Permutation> other = throughReshape(from, to, permutation);
    if (!other)
      return;
    ++answered;
    EXPECT_EQ(transposed(numbered(from), from, permutation), transposed(numbered(to), to, *other));
  });
  EXPECT_EQ(answered, answers);
}

TEST(Permutation, PassesThroughReshapes) {
  expectCommutes({2, 3, 4}, {2, 3, 4}, 6);
  expectCommutes({2, 12, 5}, {2, 3, 4, 5}, 6); // a split moves anywhere
  expectCommutes({2, 3, 4, 5}, {2, 12, 5}, 6); // a merge where its axes stay neighbours, as one of three
  expectCommutes({2, 3, 4}, {24}, 1);
  expectCommutes({2, 6, 5}, {2, 2, 3, 1, 5}, 6);
  expectCommutes({4, 6}, {6, 4}, 1); // one group on both sides
  expectCommutes({2, 1, 3}, {2, 3}, 6);
  expectCommutes({2, 3}, {1, 2, 1, 3, 1}, 2);
}

TEST(Permutation, KeepsUnitsWherePeopleExpectThem) {
  // Channels first to last, of an image without its height.
  EXPECT_EQ(throughReshape({2, 3, 5}, {2, 3, 1, 5}, {0, 2, 1}), (Permutation{0, 2, 3, 1}));
  EXPECT_EQ(throughReshape({2, 3, 5}, {2, 3, 5, 1}, {0, 2, 1}), (Permutation{0, 2, 3, 1}));
  EXPECT_EQ(throughReshape({3, 5}, {1, 3, 5}, {1, 0}), (Permutation{0, 2, 1}));
}

TEST(Permutation, RefusesEmptyReshapes) { EXPECT_EQ(throughReshape({0, 2}, {2, 0}, {1, 0}), std::nullopt); }

TEST(Permutation, FindsWhatIsFlattened) {
  EXPECT_EQ(findFlattenedTail({7, 3, 2, 2}, {7, 12}, {0, 3, 1, 2}), 1u);
  EXPECT_EQ(findFlattenedTail({3, 2, 2}, {12}, {2, 0, 1}), 0u);
  // The batch moves, or the flattened axis takes part of one.
  EXPECT_EQ(findFlattenedTail({3, 7, 2}, {3, 14}, {1, 0, 2}), std::nullopt);
  EXPECT_EQ(findFlattenedTail({4, 3}, {2, 6}, {1, 0}), std::nullopt);
  EXPECT_EQ(findFlattenedTail({4, 3}, {}, {1, 0}), std::nullopt);
}

} // namespace
