// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  one copy loop for every data movement. Element (i, j, ...) of the result has the source offset a[i] + b[j] +
//        ...
// Why:   transpose, slice, broadcast, pad, gather and concat differ only in their tables a, b, ... Weights of hundreds
//        of megabytes pass through this loop, so it must be fast.

#ifndef NACRE_DIALECTS_NN_INDEXEDCOPY_H
#define NACRE_DIALECTS_NN_INDEXEDCOPY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::nn {

/// Source offsets in elements. Each axis has a table with one entry for each of its indices; the entries of all axes
/// are added.
using OffsetTables = llvm::SmallVector<llvm::SmallVector<int64_t, 0>>;

/// Returns the strides, in elements, of a dense row-major array.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Returns the table of an axis with `size` elements that are `stride` apart and begin at offset `start`.
llvm::SmallVector<int64_t, 0> walk(int64_t size, int64_t stride, int64_t start = 0);

/// Copies elements of `elementBytes` bytes. `target` has the strides `targetStrides`, and each axis has the size of its
/// table.
void copyIndexed(char *target, llvm::ArrayRef<int64_t> targetStrides, const char *source, const OffsetTables &tables,
                 unsigned elementBytes);

/// Calls `body` for every index of `shape` in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_INDEXEDCOPY_H
