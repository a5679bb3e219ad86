// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/bodies/AxisTables.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace nacre::kernels {

llvm::SmallVector<int32_t, 0> makePadTable(int64_t input, int64_t low, int64_t high, nn::PadMode mode) {
  auto wrap = [](int64_t x, int64_t period) { return ((x % period) + period) % period; };
  llvm::SmallVector<int32_t, 0> table;
  for (int64_t x = -low; x < input + high; ++x) {
    int64_t index = std::clamp<int64_t>(x, 0, std::max<int64_t>(input - 1, 0));
    if (mode == nn::PadMode::Wrap)
      index = wrap(x, input);
    else if (mode == nn::PadMode::Reflect && input > 1) {
      // The axis and its mirror image alternate. Both ends occur once.
      int64_t position = wrap(x, 2 * (input - 1));
      index = std::min(position, 2 * (input - 1) - position);
    } else if (mode == nn::PadMode::Symmetric && input > 0) {
      // The axis and its mirror image alternate, but both ends occur twice.
      int64_t position = wrap(x, 2 * input);
      index = std::min(position, 2 * input - 1 - position);
    }
    table.push_back(int32_t(index));
  }
  return table;
}

llvm::SmallVector<double> countWindowCells(int64_t outputs, int64_t size, int64_t low, int64_t window, int64_t stride,
                                           int64_t dilation) {
  llvm::SmallVector<double> counts;
  for (int64_t output = 0; output < outputs; ++output) {
    int64_t first = output * stride - low;
    // A closed form is used, because a window may have billions of cells.
    auto cellsBefore = [&](int64_t position) {
      return std::clamp<int64_t>(llvm::divideCeilSigned(position - first, dilation), 0, window);
    };
    counts.push_back(double(cellsBefore(size) - cellsBefore(0)));
  }
  return counts;
}

} // namespace nacre::kernels
