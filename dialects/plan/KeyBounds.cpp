// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/plan/KeyBounds.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace nacre::plan {

double computedPart(const KeyBounds &bounds, int64_t rows, int64_t keys) {
  const int64_t furthest = rows + keys; // A bound that is further away hides no key.
  const int64_t before = std::min(bounds.before.value_or(furthest), furthest),
                behind = std::min(bounds.behind.value_or(furthest), furthest);
  auto wholeChunks = [](int64_t count) { return int64_t(llvm::alignTo(count, kKeysOfChunk)); };
  if (bounds.offsetInput) {
    // The first key may be the last one of a chunk.
    const int64_t seen = before + behind + std::min(rows, kRowsOfBlock);
    return double(std::min(keys, wholeChunks(seen + kKeysOfChunk - 1))) / double(keys);
  }
  int64_t computed = 0;
  for (int64_t row = 0; row < rows; row += kRowsOfBlock) {
    const int64_t count = std::min(kRowsOfBlock, rows - row), position = row + bounds.offset;
    const int64_t low = std::clamp<int64_t>(position - before, 0, keys - 1),
                  high = std::clamp<int64_t>(position + count + behind, low + 1, keys); // at least one key
    computed += count * (std::min(keys, wholeChunks(high)) - low / kKeysOfChunk * kKeysOfChunk);
  }
  return double(computed) / double(rows * keys);
}

} // namespace nacre::plan
