// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts strided slices with masks to starts, sizes and steps of every axis, without IR. Bits of the masks refer to
// entries of the lists, not to axes of the tensor, which is easy to get wrong.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_STRIDEDSLICES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_STRIDEDSLICES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace nacre::importer {

/// Lists with one entry per axis of the tensor, except for three kinds of entries. The entry in `ellipsisMask` stands
/// for all axes that have no entry, and takes them as a whole. An entry in `newAxisMask` adds an axis to the result. An
/// entry in `shrinkMask` selects one index, and removes the axis.
struct StridedSlice {
  llvm::SmallVector<int64_t> begin, end, strides;
  uint32_t beginMask = 0, endMask = 0; ///< entries that begin at the begin of the axis, and entries that end at its end
  uint32_t ellipsisMask = 0, newAxisMask = 0, shrinkMask = 0;
  bool endIsOffset = false; ///< true if `end` is relative to `begin`
};

/// Slice of every axis, and the shape to which the result is reshaped.
struct SlicedPart {
  llvm::SmallVector<int64_t> starts, sizes, steps, shape;
};

/// Returns the slice in terms of axes. The error states the rule that the slice violates.
llvm::Expected<SlicedPart> expandSlice(const StridedSlice &slice, llvm::ArrayRef<int64_t> shape);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_STRIDEDSLICES_H
