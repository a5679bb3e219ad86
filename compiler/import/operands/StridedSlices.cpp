// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts strided slices with masks to starts, sizes and steps of every axis.

#include "compiler/import/operands/StridedSlices.h"

#include "compiler/import/builder/Geometry.h"

#include "llvm/Support/MathExtras.h"

namespace nacre::importer {

static llvm::Error fail(const char *text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); }

/// Adds whole axes of `sizes`, for an ellipsis.
static void takeWhole(SlicedPart &part, llvm::ArrayRef<int64_t> sizes) {
  for (int64_t size : sizes) {
    part.starts.push_back(0);
    part.sizes.push_back(size);
    part.steps.push_back(1);
    part.shape.push_back(size);
  }
}

/// Adds one index of an axis, and removes the axis.
static llvm::Error takeIndex(SlicedPart &part, int64_t index, int64_t size) {
  index = index < 0 ? index + size : index;
  if (index < 0 || index >= size)
    return fail("the index into a removed axis must be smaller than its size, but is not");
  part.starts.push_back(index);
  part.sizes.push_back(1);
  part.steps.push_back(1);
  return llvm::Error::success();
}

/// Adds a range of an axis.
static llvm::Error takeRange(SlicedPart &part, const StridedSlice &slice, size_t entry, int64_t size) {
  const int64_t step = slice.strides[entry], begin = slice.begin[entry];
  int64_t end = slice.end[entry];
  if (step == 0)
    return fail("strides must not be 0, but one is");
  if (slice.endIsOffset && llvm::AddOverflow(begin, end, end))
    return fail("ends must be valid positions, but one is out of range");
  // A backward slice that begins before the first element is empty.
  if (step < 0 && !(slice.beginMask >> entry & 1) && begin < -size)
    size = 0;
  // Positions that are far outside the axis, and are therefore clamped to it.
  const uint32_t bit = uint32_t(1) << entry;
  const int64_t far = int64_t(1) << 62, first = step > 0 ? 0 : far, last = step > 0 ? far : -far;
  SliceRange range = clampRange(slice.beginMask & bit ? first : begin, slice.endMask & bit ? last : end, step, size);
  part.starts.push_back(range.size ? range.start : 0);
  part.sizes.push_back(range.size);
  part.steps.push_back(range.size > 1 ? step : 1);
  part.shape.push_back(range.size);
  return llvm::Error::success();
}

llvm::Expected<SlicedPart> expandSlice(const StridedSlice &slice, llvm::ArrayRef<int64_t> shape) {
  const size_t entries = slice.begin.size();
  if (entries > 32 || slice.end.size() != entries || slice.strides.size() != entries)
    return fail("begins, ends and strides must have the same length, at most 32, but do not");
  // Counts the entries that are axes of the tensor.
  size_t axes = 0, ellipses = 0;
  for (size_t entry = 0; entry < entries; ++entry) {
    const uint32_t bit = uint32_t(1) << entry;
    ellipses += slice.ellipsisMask & bit ? 1 : 0;
    axes += (slice.ellipsisMask | slice.newAxisMask) & bit ? 0 : 1;
  }
  if (ellipses > 1 || axes > shape.size())
    return fail("there must be at most one entry per axis and one ellipsis, but there are more");
  SlicedPart part;
  for (size_t entry = 0; entry < entries; ++entry) {
    const uint32_t bit = uint32_t(1) << entry;
    const size_t axis = part.starts.size();
    llvm::Error error = llvm::Error::success();
    if (slice.ellipsisMask & bit)
      takeWhole(part, shape.slice(axis, shape.size() - axes));
    else if (slice.newAxisMask & bit)
      part.shape.push_back(1);
    else if (slice.shrinkMask & bit)
      error = takeIndex(part, slice.begin[entry], shape[axis]);
    else
      error = takeRange(part, slice, entry, shape[axis]);
    if (error)
      return error;
  }
  takeWhole(part, shape.drop_front(part.starts.size()));
  return part;
}

} // namespace nacre::importer
