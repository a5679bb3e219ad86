// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of windows and slices that formats share, without IR.

#include "compiler/import/builder/Geometry.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace nacre::importer {

/// Returns the number of cells from the first to the last cell of a window, inclusive.
static int64_t getExtent(const Window &window, size_t axis) {
  return (window.kernel[axis] - 1) * window.dilations[axis] + 1;
}

void padToSame(Window &window, llvm::ArrayRef<int64_t> spatial, bool oddAtEnd) {
  size_t axes = spatial.size();
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t stride = window.strides[axis];
    int64_t output = llvm::divideCeil(spatial[axis], stride);
    int64_t total = std::max<int64_t>((output - 1) * stride + getExtent(window, axis) - spatial[axis], 0);
    window.pads[axis] = oddAtEnd ? total / 2 : total - total / 2;
    window.pads[axes + axis] = total - window.pads[axis];
  }
}

std::optional<llvm::SmallVector<int64_t>> getReach(const Window &window, llvm::ArrayRef<int64_t> spatial) {
  constexpr int64_t most = int64_t(1) << 48; // more elements than any memory can hold
  llvm::SmallVector<int64_t> reach;
  for (size_t axis = 0; axis < spatial.size(); ++axis) {
    int64_t begin, cells;
    if (llvm::MulOverflow(std::max<int64_t>(spatial[axis] - 1, 0), window.strides[axis], begin) ||
        llvm::AddOverflow(begin, getExtent(window, axis), cells) || cells > most)
      return std::nullopt;
    reach.push_back(cells);
  }
  return reach;
}

void padToOutput(Window &window, llvm::ArrayRef<int64_t> reach, llvm::ArrayRef<int64_t> output, bool oddAtEnd) {
  size_t axes = output.size();
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t total = reach[axis] - output[axis], cut = std::max<int64_t>(total, 0);
    window.pads[axis] = oddAtEnd ? cut / 2 : cut - cut / 2;
    window.pads[axes + axis] = total - window.pads[axis];
  }
}

static int64_t getOverhang(const Window &window, size_t axis, int64_t input) {
  int64_t low = window.pads[axis], high = window.pads[window.kernel.size() + axis], stride = window.strides[axis];
  int64_t slack = input + low + high - getExtent(window, axis);
  if (slack < 0)
    return 0;
  int64_t steps = llvm::divideCeil(slack, stride);
  if (steps * stride >= input + low)
    --steps;
  return std::max<int64_t>(steps * stride - slack, 0);
}

/// True if the window does not fit into the padded input, but has one position after rounding up.
static bool coversWhole(const Window &window, size_t axis, int64_t padded) {
  const int64_t extent = getExtent(window, axis);
  return extent > padded && extent - padded < window.strides[axis];
}

void roundUp(Window &window, llvm::ArrayRef<int64_t> spatial) {
  const size_t axes = spatial.size();
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t padded = spatial[axis] + window.pads[axis] + window.pads[axes + axis];
    if (spatial[axis] > 0 && coversWhole(window, axis, padded)) {
      // Cells after the high pads are empty and not counted, so the window does not need them. Models may have windows
      // of thousands of cells for a few pixels. No kernel should iterate over such a window.
      window.kernel[axis] = (padded - 1) / window.dilations[axis] + 1;
      window.strides[axis] = padded;
    } else {
      window.overhang[axis] = getOverhang(window, axis, spatial[axis]);
    }
  }
}

SliceRange clampRange(int64_t start, int64_t end, int64_t step, int64_t dim) {
  auto normal = [&](int64_t position) { return position < 0 ? position + dim : position; };
  int64_t last = std::max<int64_t>(dim - 1, 0);
  if (step > 0) {
    start = std::clamp<int64_t>(normal(start), 0, dim);
    end = std::clamp<int64_t>(normal(end), 0, dim);
    return {start, end > start ? (end - start - 1) / step + 1 : 0};
  }
  start = std::clamp<int64_t>(normal(start), 0, last);
  end = std::clamp<int64_t>(normal(end), -1, last);
  bool isEmpty = dim == 0 || end >= start;
  // Divides negative values, because the smallest step has no positive counterpart.
  return {start, isEmpty ? 0 : (end - start + 1) / step + 1};
}

} // namespace nacre::importer
