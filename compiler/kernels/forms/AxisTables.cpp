// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. resampling, after ONNX Resize; 2. padding; 3. windows.

#include "compiler/kernels/forms/AxisTables.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

namespace nacre::kernels {

//===----------------------------------------------------------------------===//
// 1. Resampling
//===----------------------------------------------------------------------===//

/// The place on the input axis that output index `index` stands for.
static double mapCoordinate(int64_t index, int64_t input, int64_t output, double scale, nn::Coordinates coordinates) {
  double x = double(index);
  switch (coordinates) {
  case nn::Coordinates::HalfPixel:
    return (x + 0.5) / scale - 0.5;
  case nn::Coordinates::PytorchHalfPixel:
    return output > 1 ? (x + 0.5) / scale - 0.5 : 0;
  case nn::Coordinates::Asymmetric:
    return x / scale;
  case nn::Coordinates::AlignCorners:
    return output > 1 ? x * double(input - 1) / double(output - 1) : 0;
  case nn::Coordinates::TfHalfPixelForNearest:
    return (x + 0.5) / scale;
  }
  return x;
}

static double roundCoordinate(double x, nn::Rounding rounding) {
  switch (rounding) {
  case nn::Rounding::RoundPreferFloor:
    return std::ceil(x - 0.5);
  case nn::Rounding::RoundPreferCeil:
    return std::floor(x + 0.5);
  case nn::Rounding::Floor:
    return std::floor(x);
  case nn::Rounding::Ceil:
    return std::ceil(x);
  }
  return x;
}

/// Of an empty axis, which only an empty result reads, any index.
static int32_t clampIndex(double x, int64_t size) {
  return int32_t(std::clamp(x, 0.0, double(std::max<int64_t>(size - 1, 0))));
}

AxisTable makeNearestTable(int64_t input, int64_t output, double scale, nn::Coordinates coordinates,
                           nn::Rounding rounding) {
  AxisTable table;
  for (int64_t index = 0; index < output; ++index)
    table.low.push_back(
        clampIndex(roundCoordinate(mapCoordinate(index, input, output, scale, coordinates), rounding), input));
  return table;
}

AxisTable makeLinearTable(int64_t input, int64_t output, double scale, nn::Coordinates coordinates) {
  AxisTable table;
  for (int64_t index = 0; index < output; ++index) {
    double x = std::clamp(mapCoordinate(index, input, output, scale, coordinates), 0.0,
                          double(std::max<int64_t>(input - 1, 0)));
    double low = std::floor(x);
    table.low.push_back(clampIndex(low, input));
    table.high.push_back(clampIndex(low + 1, input));
    table.weights.push_back(float(x - low));
  }
  return table;
}

//===----------------------------------------------------------------------===//
// 2. Padding
//===----------------------------------------------------------------------===//

AxisTable makePadTable(int64_t input, int64_t low, int64_t high, nn::PadMode mode) {
  auto wrap = [](int64_t x, int64_t period) { return ((x % period) + period) % period; };
  AxisTable table;
  for (int64_t x = -low; x < input + high; ++x) {
    int64_t index = std::clamp<int64_t>(x, 0, std::max<int64_t>(input - 1, 0));
    if (mode == nn::PadMode::Wrap)
      index = wrap(x, input);
    else if (mode == nn::PadMode::Reflect && input > 1) {
      // The axis and its mirror image repeat; both ends occur once.
      int64_t position = wrap(x, 2 * (input - 1));
      index = std::min(position, 2 * (input - 1) - position);
    }
    table.low.push_back(int32_t(index));
  }
  return table;
}

//===----------------------------------------------------------------------===//
// 3. Windows
//===----------------------------------------------------------------------===//

llvm::SmallVector<double> countWindowCells(int64_t outputs, int64_t size, int64_t low, int64_t window, int64_t stride,
                                           int64_t dilation) {
  llvm::SmallVector<double> counts;
  for (int64_t output = 0; output < outputs; ++output) {
    int64_t first = output * stride - low;
    // Not counted one by one: a window may have billions of cells.
    auto cellsBefore = [&](int64_t position) {
      return std::clamp<int64_t>(llvm::divideCeilSigned(position - first, dilation), 0, window);
    };
    counts.push_back(double(cellsBefore(size) - cellsBefore(0)));
  }
  return counts;
}

} // namespace nacre::kernels
