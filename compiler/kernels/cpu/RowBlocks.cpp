// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/cpu/RowBlocks.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace nacre::kernels {

/// Costs of blocks of rows that read matrices again.
struct BlockCosts {
  /// Smallest number of rows of a block. With fewer rows, a core would read an f32 matrix at a tenth of its possible
  /// rate, and tiles of bytes would leave registers empty.
  int64_t leastRows;
  /// Smallest ratio of the tensors around a block to those in it.
  int64_t leastRatio;
};

static BlockCosts costsOf(int64_t elementBytes) { return elementBytes == 1 ? BlockCosts{32, 2} : BlockCosts{48, 1}; }

llvm::SmallVector<RowBlock> divideRows(const RowChain &chain) {
  const BlockCosts costs = costsOf(chain.elementBytes);
  const int64_t around = std::max<int64_t>(1, chain.bytesIn + chain.bytesOut);
  const int64_t wanted = std::max<int64_t>(1, llvm::divideCeil(costs.leastRatio * chain.bytesBetween, around));
  const int64_t most = chain.rows / costs.leastRows;
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
