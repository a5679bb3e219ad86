// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of windows and slices that formats share, without IR.
//
// Why:  SAME pads and negative slice positions mean the same in every format, and readers easily get them wrong.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_GEOMETRY_H
#define NACRE_COMPILER_IMPORT_BUILDER_GEOMETRY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// Window that slides over spatial axes, with the attributes of `nn`.
struct Window {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  llvm::SmallVector<int64_t> pads;     ///< all low ones, then all high ones
  llvm::SmallVector<int64_t> overhang; ///< cells past the high pads, for rounding up
};

/// Sets the pads so that the output has ceil(input / stride) cells. If their sum is odd, the extra cell goes to the end
/// or to the front.
void padToSame(Window &window, llvm::ArrayRef<int64_t> spatial, bool oddAtEnd);

/// Returns the number of cells that a transposed convolution covers along each axis, without pads; `nullopt` on
/// overflow.
std::optional<llvm::SmallVector<int64_t>> getReach(const Window &window, llvm::ArrayRef<int64_t> spatial);

/// Sets the pads of a transposed convolution that covers `reach` cells so that its result has `output` cells. If their
/// sum is odd, the extra cell is at the end or at the front. Cells beyond the covered ones are at the end, as a
/// negative pad.
void padToOutput(Window &window, llvm::ArrayRef<int64_t> reach, llvm::ArrayRef<int64_t> output, bool oddAtEnd);

/// Rounds the number of steps up. The overhang lets the last window extend beyond the end if it begins before the high
/// pads. A window that has one position only after rounding becomes as large as the padded input.
void roundUp(Window &window, llvm::ArrayRef<int64_t> spatial);

/// Elements start, start + step, ... of one axis; `size` is their number.
struct SliceRange {
  int64_t start, size;
};

/// Applies NumPy's rule for an axis of `dim` elements: negative positions count from the end, others are clamped.
SliceRange clampRange(int64_t start, int64_t end, int64_t step, int64_t dim);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_GEOMETRY_H
