// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: into how many blocks the rows of two products in a row are divided.
// Why:  each block reads both matrices once more, so that there are no more of them than memory gains by. Free of IR, so that
//       it can be tested alone.

#ifndef NACRE_COMPILER_KERNELS_ROWBLOCKS_H
#define NACRE_COMPILER_KERNELS_ROWBLOCKS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::kernels {

/// Operators in a row: bytes of all rows that go in, that are inside at most, and that come out.
struct RowChain {
  int64_t rows = 1;
  int64_t bytesIn = 0, bytesBetween = 0, bytesOut = 0;
  /// Its matrices and what goes in and out are bytes: these are read in a quarter of the time, and there is less around what is inside.
  bool isOfBytes = false;
};

struct RowBlock {
  int64_t first = 0, count = 0;
};

/// Blocks of equal size, so that they share their kernels, in order; one where there is nothing to gain, or no such size. What a
/// block has inside takes no more than what all rows have before and behind it, of bytes half of that, unless its rows would be too
/// few to pay for reading the matrices again.
llvm::SmallVector<RowBlock> divideRows(const RowChain &chain);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ROWBLOCKS_H
