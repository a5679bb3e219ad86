// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/ExactTiles.h"

#include <algorithm>

using namespace nacre;

/// Returns the largest possible absolute value of the sum of any output channel.
static int64_t largestSum(const nn::ConstantView &weight, bool isUnsignedLeft) {
  const int64_t columns = weight.getShape().back(), rows = weight.getType().getNumElements() / columns;
  llvm::SmallVector<int64_t, 0> positive(columns), negative(columns), row(columns);
  for (int64_t i = 0; i < rows; ++i) {
    weight.read(i * columns, 1, columns, row.data());
    for (int64_t column = 0; column < columns; ++column)
      (row[column] > 0 ? positive : negative)[column] += std::abs(row[column]);
  }
  int64_t largest = 0;
  for (auto [up, down] : llvm::zip_equal(positive, negative))
    largest = std::max(largest, isUnsignedLeft ? 255 * std::max(up, down) : 128 * (up + down));
  return largest;
}

int64_t encode::largestExactTile(const nn::ConstantView &weight, bool isUnsignedLeft) {
  if (weight.getType().getNumElements() == 0)
    return 0;
  const int64_t sum = largestSum(weight, isUnsignedLeft);
  // The sum times 64 (tiles of four) or times 4 (tiles of two) must fit in 32 bits with a sign.
  constexpr int64_t ofFour = int64_t(1) << 25, ofTwo = int64_t(1) << 29;
  return sum < ofFour ? 4 : sum < ofTwo ? 2 : 0;
}
