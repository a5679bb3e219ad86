// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiled path begins at 32 elements a side, which no lit test has.

#include "dialects/nn/IndexedCopy.h"
#include "gtest/gtest.h"
#include <numeric>
#include <vector>

using namespace nacre::nn;

namespace {

template <typename T> void expectTransposed(int64_t rows, int64_t columns) {
  std::vector<T> source(rows * columns), target(rows * columns);
  std::iota(source.begin(), source.end(), T(1));
  copyIndexed(reinterpret_cast<char *>(target.data()), {rows, 1}, reinterpret_cast<const char *>(source.data()),
              {walk(columns, 1), walk(rows, columns)}, sizeof(T));
  for (int64_t i = 0; i < columns; ++i)
    for (int64_t j = 0; j < rows; ++j)
      ASSERT_EQ(target[i * rows + j], source[j * columns + i]) << i << ", " << j;
}

TEST(IndexedCopy, TransposesInTiles) {
  expectTransposed<uint8_t>(33, 65);
  expectTransposed<uint16_t>(32, 64);
  expectTransposed<uint32_t>(100, 31);
  expectTransposed<uint64_t>(1, 70);
}

TEST(IndexedCopy, CopiesIntoAPartOfTheTarget) {
  std::vector<int32_t> source = {1, 2, 3, 4, 5, 6}, target(12, 0);
  copyIndexed(reinterpret_cast<char *>(target.data() + 5), {4, 1}, reinterpret_cast<const char *>(source.data()),
              {walk(2, 3), walk(3, -1, 2)}, sizeof(int32_t));
  EXPECT_EQ(target, (std::vector<int32_t>{0, 0, 0, 0, 0, 3, 2, 1, 0, 6, 5, 4}));
}

TEST(IndexedCopy, AScalarHasOneIndex) {
  int32_t source = 7, target = 0;
  copyIndexed(reinterpret_cast<char *>(&target), {}, reinterpret_cast<const char *>(&source), {}, sizeof(int32_t));
  EXPECT_EQ(target, 7);
  int visits = 0;
  forEachIndex({}, [&](llvm::ArrayRef<int64_t>) { ++visits; });
  forEachIndex({3, 0}, [&](llvm::ArrayRef<int64_t>) { ++visits; });
  EXPECT_EQ(visits, 1);
}

} // namespace
