// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/compositions/OpenWindows.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;

bool hasOpenSpace(const NnBuilder &nn, Value input) {
  return input && nn.isOpen(input) &&
         llvm::any_of(ArrayRef(nn.getCounts(input)).drop_front().drop_back(), [](Value count) { return bool(count); });
}

/// Returns the number of windows along an axis of `count` elements, as the type's shape rule computes it.
static Value countWindows(NnBuilder &nn, Value count, const Window &window, size_t axis) {
  const size_t axes = window.strides.size();
  const int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1, stride = window.strides[axis];
  // A last window begins at most this far after the first one; none begins there if it is negative.
  const int64_t added = window.pads[axis] + window.pads[axes + axis] - reach + stride;
  if (added == 0 && stride == 1)
    return count;
  Value number = nn.binary(BinaryKind::Max, nn.add(count, static_cast<double>(added)), 0.0);
  return stride == 1 ? number : nn.div(number, static_cast<double>(stride));
}

Value convolve(NnBuilder &nn, Value input, Value filter, const Window &window, int64_t groups) {
  if (!hasOpenSpace(nn, input))
    return nn.conv(input, filter, window.strides, window.pads, window.dilations, groups);
  const nn::AxisCounts counts = nn.getCounts(input);
  // Zeros after the valid elements are like further pads. Windows that cover only these are not counted.
  for (size_t axis = 0; axis < window.strides.size(); ++axis)
    if (counts[axis + 1])
      input = nn.fillUp(input, static_cast<int64_t>(axis) + 1, nn.scalar(input, 0));
  Value result = nn.conv(input, filter, window.strides, window.pads, window.dilations, groups);
  for (size_t axis = 0; axis < window.strides.size(); ++axis)
    if (counts[axis + 1])
      result = nn.limit(result, static_cast<int64_t>(axis) + 1, countWindows(nn, counts[axis + 1], window, axis));
  return result;
}

} // namespace nacre::importer
