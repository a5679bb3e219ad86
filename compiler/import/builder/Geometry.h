// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for windows and slices that formats share. They do not depend on the IR.
//
// SAME pads and negative slice positions mean the same in every format, and are easy to get wrong.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_GEOMETRY_H
#define NACRE_COMPILER_IMPORT_BUILDER_GEOMETRY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// Window that slides over the spatial axes, with the attributes of the `nn` operators.
struct Window {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  llvm::SmallVector<int64_t> pads;     ///< low pads of all axes, then high pads of all axes
  llvm::SmallVector<int64_t> overhang; ///< cells after the high pads that the last window may cover if sizes are
                                       ///< rounded up
};

/// Sets the pads so that the output has ceil(input / stride) cells. If the total pad is odd, the extra cell is at the
/// end if `oddAtEnd`, and otherwise at the front.
void padToSame(Window &window, llvm::ArrayRef<int64_t> spatial, bool oddAtEnd);

/// Returns the number of cells that a transposed convolution covers along each axis without pads, or `nullopt` on
/// overflow.
std::optional<llvm::SmallVector<int64_t>> getReach(const Window &window, llvm::ArrayRef<int64_t> spatial);

/// Sets the pads of a transposed convolution so that its result has `output` of the `reach` cells that it covers. If
/// the total pad is odd, the extra cell is at the end if `oddAtEnd`, and otherwise at the front. If `output` exceeds
/// `reach`, the high pad is negative: it adds cells at the end.
void padToOutput(Window &window, llvm::ArrayRef<int64_t> reach, llvm::ArrayRef<int64_t> output, bool oddAtEnd);

/// Rounds the number of windows up. The overhang lets the last window extend past the end if it begins before the high
/// pads. If one window covers the whole padded axis only after rounding, the window is shrunk to the size of that axis.
void roundUp(Window &window, llvm::ArrayRef<int64_t> spatial);

/// Elements start, start + step, ... of one axis. `size` is the number of elements.
struct SliceRange {
  int64_t start, size;
};

/// Returns the elements that NumPy's rule selects on an axis of `dim` elements: negative positions count from the end,
/// and others are clamped.
SliceRange clampRange(int64_t start, int64_t end, int64_t step, int64_t dim);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_GEOMETRY_H
