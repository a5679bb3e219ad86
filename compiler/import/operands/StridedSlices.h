// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strided slices with masks, as starts, sizes and steps of every axis, without IR. Bits of the masks count entries of
// the lists, not axes of the tensor, which is easy to get wrong.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_STRIDEDSLICES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_STRIDEDSLICES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace nacre::importer {

/// Lists with one entry per axis of the tensor, except for three kinds of entries. An entry in `ellipsisMask` takes all
/// axes without an entry, as a whole. An entry in `newAxisMask` adds an axis to the result. An entry in `shrinkMask`
/// takes one index, and removes the axis.
struct StridedSlice {
  llvm::SmallVector<int64_t> begin, end, strides;
  uint32_t beginMask = 0, endMask = 0; ///< entries that begin, or end, where the axis does
  uint32_t ellipsisMask = 0, newAxisMask = 0, shrinkMask = 0;
  bool endIsOffset = false; ///< ends count from the begins
};

/// Slice of every axis, and the shape that its elements get.
struct SlicedPart {
  llvm::SmallVector<int64_t> starts, sizes, steps, shape;
};

/// Returns the slice in terms of axes. An error names the violated rule.
llvm::Expected<SlicedPart> expandSlice(const StridedSlice &slice, llvm::ArrayRef<int64_t> shape);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_STRIDEDSLICES_H
