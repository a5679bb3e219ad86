// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/compositions/ResampleTables.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cfloat>
#include <cmath>

namespace nacre::importer {

using llvm::ArrayRef;
using llvm::SmallVector;

bool AxisTable::isMove() const {
  return taps == 1 && llvm::all_of(weights, [](float weight) { return weight == 1; });
}

bool AxisTable::isIdentity(int64_t extent) const {
  if (!isMove() || getPositions() != extent)
    return false;
  return llvm::all_of(llvm::enumerate(indices),
                      [](auto entry) { return entry.value() == static_cast<int64_t>(entry.index()); });
}

//===----------------------------------------------------------------------===//
// 1. Coordinates
//===----------------------------------------------------------------------===//

/// Maps a position to the old axis by a scale that the model states.
static double mapByStatedScale(int64_t position, Resize resize, CoordinateRule rule) {
  const auto x = static_cast<float>(position), input = static_cast<float>(resize.input);
  const float scale = *resize.scale.stated;
  switch (rule) {
  case CoordinateRule::HalfPixel:
  case CoordinateRule::HalfPixelUnlessOne:
    return (x + 0.5F) / scale - 0.5F;
  case CoordinateRule::HalfPixelSymmetric: {
    // The centers of both axes coincide even if the output size was rounded. ONNX Runtime computes the last step in
    // double precision.
    const float part = static_cast<float>(resize.output) / (scale * input), offset = input / 2 * (1 - part);
    return static_cast<float>(offset + (x + 0.5) / scale - 0.5);
  }
  case CoordinateRule::Asymmetric:
    return x / scale;
  case CoordinateRule::HalfPixelForNearest:
    return (x + 0.5F) / scale;
  case CoordinateRule::AlignCorners:
  case CoordinateRule::CropAndResize:
    break;
  }
  llvm_unreachable("the other rules read no scale");
}

/// Maps an output position to the input axis by the ratio of two sizes. Multiplies before it divides, so the ratio
/// itself is not rounded.
static double mapByRatio(int64_t position, Resize resize, CoordinateRule rule) {
  const auto x = static_cast<double>(position), input = static_cast<double>(resize.input),
             output = static_cast<double>(resize.output), from = static_cast<double>(resize.scale.from),
             to = static_cast<double>(resize.scale.to);
  switch (rule) {
  case CoordinateRule::HalfPixel:
  case CoordinateRule::HalfPixelUnlessOne:
    return (2 * x + 1) * from / (2 * to) - 0.5;
  case CoordinateRule::HalfPixelSymmetric:
    return (2 * x + 1 - output) * from / (2 * to) + (input - 1) / 2;
  case CoordinateRule::Asymmetric:
    return x * from / to;
  case CoordinateRule::HalfPixelForNearest:
    return (2 * x + 1) * from / (2 * to);
  case CoordinateRule::AlignCorners:
  case CoordinateRule::CropAndResize:
    break;
  }
  llvm_unreachable("the other rules read no scale");
}

static double mapIntoRegion(int64_t position, Resize resize, Region region) {
  const float last = static_cast<float>(resize.input) - 1;
  if (resize.output <= 1)
    return static_cast<float>(0.5 * (region.begin + region.end) * last);
  // The product is exact in double precision, so the result does not change if a compiler fuses it with the sum.
  const auto begin = static_cast<float>(static_cast<double>(region.begin) * last);
  const float further =
      static_cast<float>(position) * (region.end - region.begin) * last / (static_cast<float>(resize.output) - 1);
  return begin + further;
}

static double mapCoordinate(int64_t position, Resize resize, CoordinateRule rule, Region region) {
  if (rule == CoordinateRule::CropAndResize)
    return mapIntoRegion(position, resize, region);
  const bool isFirst = resize.output <= 1;
  if (isFirst && (rule == CoordinateRule::AlignCorners || rule == CoordinateRule::HalfPixelUnlessOne))
    return 0;
  if (rule == CoordinateRule::AlignCorners) // depends on the sizes only
    return static_cast<double>(position) * static_cast<double>(resize.input - 1) /
           static_cast<double>(resize.output - 1);
  return resize.scale.stated ? mapByStatedScale(position, resize, rule) : mapByRatio(position, resize, rule);
}

Coordinates mapCoordinates(Resize resize, CoordinateRule rule, Region region) {
  Coordinates coordinates;
  for (int64_t position = 0; position < resize.output; ++position)
    coordinates.push_back(mapCoordinate(position, resize, rule, region));
  return coordinates;
}

static float scaleInSinglePrecision(int64_t input, int64_t output, CornerRule rule) {
  bool alignsCorners = rule == CornerRule::AlignCorners && output > 1;
  return static_cast<float>(alignsCorners ? input - 1 : input) /
         static_cast<float>(alignsCorners ? output - 1 : output);
}

Coordinates mapInSinglePrecision(int64_t input, int64_t output, CornerRule rule) {
  Coordinates coordinates = mapNearestInSinglePrecision(input, output, rule);
  if (rule == CornerRule::HalfPixelCenters)
    for (double &x : coordinates)
      x = static_cast<float>(x) - 0.5F;
  return coordinates;
}

Coordinates mapNearestInSinglePrecision(int64_t input, int64_t output, CornerRule rule) {
  float scale = scaleInSinglePrecision(input, output, rule), offset = rule == CornerRule::HalfPixelCenters ? 0.5F : 0;
  Coordinates coordinates;
  for (int64_t position = 0; position < output; ++position)
    coordinates.push_back((static_cast<float>(position) + offset) * scale);
  return coordinates;
}

//===----------------------------------------------------------------------===//
// 2. Elements and weights
//===----------------------------------------------------------------------===//

static double roundTo(double x, Rounding rounding, double tolerance) {
  switch (rounding) {
  case Rounding::RoundPreferFloor:
    return std::ceil(x - 0.5 - tolerance);
  case Rounding::RoundPreferCeil:
    return std::floor(x + 0.5 + tolerance);
  case Rounding::Floor:
    return std::floor(x);
  case Rounding::Ceil:
    return std::ceil(x);
  case Rounding::HalfAway:
    return std::round(x);
  }
  llvm_unreachable("all ways are above");
}

/// Returns the nearest valid index. For an empty axis, which only an empty result reads, it is 0.
static int32_t clampIndex(double x, int64_t input) {
  return static_cast<int32_t>(std::clamp(x, 0.0, static_cast<double>(std::max<int64_t>(input - 1, 0))));
}

AxisTable takeNearest(ArrayRef<double> coordinates, int64_t input, Rounding rounding, double tolerance) {
  AxisTable table;
  for (double x : coordinates)
    table.indices.push_back(clampIndex(roundTo(x, rounding, tolerance), input));
  table.weights.assign(coordinates.size(), 1);
  return table;
}

AxisTable interpolateLinear(ArrayRef<double> coordinates, int64_t input) {
  AxisTable table{2, {}, {}};
  for (double x : coordinates) {
    double inside = std::clamp(x, 0.0, static_cast<double>(std::max<int64_t>(input - 1, 0))), low = std::floor(inside);
    auto weight = static_cast<float>(inside - low);
    table.indices.append({clampIndex(low, input), clampIndex(low + 1, input)});
    table.weights.append({1 - weight, weight});
  }
  return table;
}

/// Returns Keys' cubic function at the distance `x` >= 0.
static double weighCubic(double x, double a) {
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// Scales weights so that their sum is 1. Weights whose sum is 0 do not change.
static void normalize(llvm::MutableArrayRef<double> weights) {
  double sum = 0;
  for (double weight : weights)
    sum += weight;
  if (sum != 0)
    for (double &weight : weights)
      weight /= sum;
}

AxisTable interpolateCubic(ArrayRef<double> coordinates, int64_t input, Cubic cubic) {
  AxisTable table{4, {}, {}};
  for (double x : coordinates) {
    double first = std::floor(x) - 1, weights[4];
    for (int tap = 0; tap < 4; ++tap) {
      double at = first + tap;
      bool isLeftOut = cubic.excludeOutside && (at < 0 || at >= static_cast<double>(input));
      weights[tap] = isLeftOut ? 0 : weighCubic(std::abs(at - x), cubic.a);
      table.indices.push_back(clampIndex(at, input));
    }
    if (cubic.excludeOutside)
      normalize(weights);
    table.weights.append(std::begin(weights), std::end(weights));
  }
  return table;
}

namespace {

/// Table of sums of any number of neighbouring elements. Its number of taps is the length of the longest sum.
class SumTable {
public:
  explicit SumTable(int64_t input) : input(input) {}

  /// Begins a new position. The weights of elements outside of the axis are added to the element at that end.
  void begin() { rows.emplace_back(); }
  void add(double at, double weight) {
    int32_t index = clampIndex(at, input);
    auto &row = rows.back();
    if (weight == 0)
      return;
    if (!row.empty() && row.back().first == index)
      row.back().second += weight;
    else
      row.push_back({index, weight});
  }

  AxisTable take() const {
    size_t taps = 1;
    for (const auto &row : rows)
      taps = std::max(taps, row.size());
    AxisTable table{static_cast<int64_t>(taps), {}, {}};
    for (const auto &row : rows)
      for (size_t tap = 0; tap < taps; ++tap) {
        bool isPart = tap < row.size();
        table.indices.push_back(isPart ? row[tap].first : row.empty() ? 0 : row.back().first);
        table.weights.push_back(isPart ? static_cast<float>(row[tap].second) : 0);
      }
    return table;
  }

private:
  int64_t input;
  SmallVector<SmallVector<std::pair<int32_t, double>, 0>, 0> rows;
};

} // namespace

double countStretchedTaps(double scale, bool isCubic) { return 2 * std::ceil((isCubic ? 2 : 1) / scale); }

AxisTable interpolateStretched(ArrayRef<double> coordinates, int64_t input, double scale, const Cubic *cubic,
                               bool excludeOutside) {
  // An empty result may have any scale, and therefore any number of taps.
  auto taps = coordinates.empty() ? 0 : static_cast<int64_t>(countStretchedTaps(scale, cubic != nullptr));
  SumTable sums(input);
  const int64_t half = taps / 2;
  SmallVector<double, 0> weights(taps);
  for (double x : coordinates) {
    double first = std::floor(x) + 1 - static_cast<double>(half);
    for (int64_t tap = 0; tap < taps; ++tap) {
      double at = first + static_cast<double>(tap), distance = std::abs(at - x) * scale;
      bool isLeftOut = excludeOutside && (at < 0 || at >= static_cast<double>(input));
      weights[tap] = isLeftOut ? 0 : cubic ? weighCubic(distance, cubic->a) : std::max(1 - distance, 0.0);
    }
    normalize(weights);
    sums.begin();
    for (int64_t tap = 0; tap < taps; ++tap)
      sums.add(first + static_cast<double>(tap), weights[tap]);
  }
  return sums.take();
}

AxisTable interpolateCubicBySteps(ArrayRef<double> coordinates, int64_t input, CornerRule rule) {
  constexpr int64_t steps = 1024;
  bool isKeys = rule == CornerRule::HalfPixelCenters; // this rule excludes elements outside, and has another a
  double a = isKeys ? -0.5 : -0.75;
  auto weigh = [&](int64_t step) {
    auto x = static_cast<float>(static_cast<double>(step) / steps);
    return step <= steps ? static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1)
                         : static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
  };
  AxisTable table{4, {}, {}};
  for (double x : coordinates) {
    double base = std::floor(x);
    int64_t offset = std::lrint((static_cast<float>(x) - static_cast<float>(base)) * steps);
    float weights[] = {weigh(steps + offset), weigh(offset), weigh(steps - offset), weigh(2 * steps - offset)}, sum = 0;
    for (int tap = 0; tap < 4; ++tap) {
      double at = base - 1 + tap;
      int32_t index = clampIndex(at, input);
      table.indices.push_back(index);
      if (isKeys && index != at)
        weights[tap] = 0;
      sum += weights[tap];
    }
    if (isKeys && std::abs(sum) >= 1000 * FLT_MIN)
      for (float &weight : weights)
        weight *= 1 / sum;
    table.weights.append(std::begin(weights), std::end(weights));
  }
  return table;
}

AxisTable averageArea(int64_t input, int64_t output, CornerRule rule) {
  float scale = scaleInSinglePrecision(input, output, rule);
  SumTable sums(input);
  for (int64_t position = 0; position < output; ++position) {
    float begin = static_cast<float>(position) * scale, end = static_cast<float>(position + 1) * scale;
    sums.begin();
    for (auto element = static_cast<int64_t>(begin); static_cast<float>(element) < end; ++element) {
      const auto at = static_cast<float>(element);
      sums.add(at, (std::min(at + 1, end) - std::max(at, begin)) / scale);
    }
  }
  return sums.take();
}

} // namespace nacre::importer
