// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a strided slice with masks takes of a tensor: numbers alone, no IR.
//
// Why:  bits of the masks count entries of the lists, not axes of the tensor, and are where readers go wrong.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_STRIDEDSLICES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_STRIDEDSLICES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace nacre::importer {

/// An entry of the lists is an axis of the tensor; with its bit in `ellipsisMask` as many as no other entry is, all of them
/// whole; in `newAxisMask` none, but one of the result; in `shrinkMask` one index of it, and the axis goes.
struct StridedSlice {
  llvm::SmallVector<int64_t> begin, end, strides;
  uint32_t beginMask = 0, endMask = 0; ///< entries that begin, and end, where the axis does
  uint32_t ellipsisMask = 0, newAxisMask = 0, shrinkMask = 0;
  bool endIsOffset = false; ///< ends count from the begins
};

/// A slice of every axis, and the shape that its elements get.
struct SlicedPart {
  llvm::SmallVector<int64_t> starts, sizes, steps, shape;
};

/// An error says what must hold of the slice.
llvm::Expected<SlicedPart> expandSlice(const StridedSlice &slice, llvm::ArrayRef<int64_t> shape);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_STRIDEDSLICES_H
