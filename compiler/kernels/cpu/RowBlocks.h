// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the number of blocks into which the rows of consecutive kernels are divided. Each block reads the matrices
// again, so there are only as many blocks as reduce memory. The functions use no IR, so that unit tests can call them
// directly.

#ifndef NACRE_COMPILER_KERNELS_CPU_ROWBLOCKS_H
#define NACRE_COMPILER_KERNELS_CPU_ROWBLOCKS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::kernels {

/// Consecutive kernels. Sizes in bytes of all rows: at the input, at most in between, and at the output.
struct RowChain {
  int64_t rows = 1;
  int64_t bytesIn = 0, bytesBetween = 0, bytesOut = 0;
  /// Size of the largest elements of the matrices and tables that each block reads again.
  int64_t elementBytes = 4;
};

struct RowBlock {
  int64_t first = 0, count = 0;
};

/// Returns blocks of equal size, in order, so that all blocks share their kernels. Returns one block if more blocks
/// save no memory or no size fits. Per block, tensors in between take at most as many bytes as both ends of all rows,
/// or half of that if matrices have elements of a byte, because these are read in a quarter of the time. However, a
/// block always has enough rows that reading the matrices again costs little.
llvm::SmallVector<RowBlock> divideRows(const RowChain &chain);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_CPU_ROWBLOCKS_H
