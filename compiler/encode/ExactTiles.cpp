// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/ExactTiles.h"

#include "codegen/form/Winograd.h"
#include "llvm/ADT/bit.h"
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
  constexpr int64_t taps = 3, positive = int64_t(1) << 31;
  for (int64_t tile : {4, 2}) {
    const int64_t scale = codegen::winograd::scaleOf(codegen::winograd::Method{tile, taps}.inputs());
    // The sum times the power of two in the scale of both dimensions must fit in 32 bits with a sign.
    if (sum < positive >> llvm::countr_zero(uint64_t(scale * scale)))
      return tile;
  }
  return 0;
}
