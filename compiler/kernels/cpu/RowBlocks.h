// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number of blocks into which the rows of two consecutive products are divided. Each block reads both matrices again,
// so there are no more blocks than reduce memory. The functions use no IR, so that unit tests can call them directly.

#ifndef NACRE_COMPILER_KERNELS_CPU_ROWBLOCKS_H
#define NACRE_COMPILER_KERNELS_CPU_ROWBLOCKS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::kernels {

/// Consecutive operators: bytes of all rows at their input, at most in between, and at their output.
struct RowChain {
  int64_t rows = 1;
  int64_t bytesIn = 0, bytesBetween = 0, bytesOut = 0;
  /// True if matrices, inputs and outputs are bytes. Matrices are then read in a quarter of the time, and both ends are
  /// smaller than the tensors in between.
  bool isOfBytes = false;
};

struct RowBlock {
  int64_t first = 0, count = 0;
};

/// Returns blocks of equal size, so that they share their kernels, in order; one block if nothing is gained or no size
/// fits. Tensors in between take at most as many bytes per block as both ends of all rows, or half as many for bytes.
/// Exception: a block has at least the rows that pay for reading the matrices again.
llvm::SmallVector<RowBlock> divideRows(const RowChain &chain);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_CPU_ROWBLOCKS_H
