// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes tables when the model is compiled, so that kernels need no index arithmetic. One table has the source index
// of each element of a padded axis. Another has the number of cells that each average counts.

#ifndef NACRE_COMPILER_KERNELS_BODIES_AXISTABLES_H
#define NACRE_COMPILER_KERNELS_BODIES_AXISTABLES_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Returns the source index for each position of an axis that is padded with its own elements. Negative `low` and
/// `high` crop the axis.
llvm::SmallVector<int32_t, 0> makePadTable(int64_t input, int64_t low, int64_t high, nn::PadMode mode);

/// Returns, for each output, how many cells of an axis of `size` cells its window covers. The first window begins `low`
/// cells before the axis.
llvm::SmallVector<double> countWindowCells(int64_t outputs, int64_t size, int64_t low, int64_t window, int64_t stride,
                                           int64_t dilation);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_AXISTABLES_H
