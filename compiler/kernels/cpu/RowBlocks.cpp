// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/cpu/RowBlocks.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace nacre::kernels {

/// Smallest number of rows of a block. With fewer rows, a core would read an f32 matrix at a tenth of its possible
/// rate, and tiles of bytes would leave registers empty.
static constexpr int64_t leastRows = 48, leastRowsOfBytes = 32;

llvm::SmallVector<RowBlock> divideRows(const RowChain &chain) {
  const int64_t around = std::max<int64_t>(1, chain.bytesIn + chain.bytesOut);
  const int64_t inside = chain.isOfBytes ? 2 * chain.bytesBetween : chain.bytesBetween;
  const int64_t wanted = std::max<int64_t>(1, llvm::divideCeil(inside, around));
  const int64_t most = chain.rows / (chain.isOfBytes ? leastRowsOfBytes : leastRows);
  int64_t count = std::min(wanted, most);
  while (count > 1 && count <= most && chain.rows % count != 0)
    ++count;
  if (count < 2 || count > most)
    return {{0, chain.rows}};
  llvm::SmallVector<RowBlock> blocks;
  for (int64_t first = 0; first < chain.rows; first += chain.rows / count)
    blocks.push_back({first, chain.rows / count});
  return blocks;
}

} // namespace nacre::kernels
