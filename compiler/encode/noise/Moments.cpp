// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/noise/Moments.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace llvm;

namespace nacre::encode {

static int64_t countOf(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

Moments roundedToHalf(Moments moments) {
  moments.noise += kHalfRounding * moments.power();
  moments.scaled += kHalfRounding * moments.power();
  return moments;
}

Moments mergedMoments(ArrayRef<Moments> groups) {
  if (groups.empty())
    return {};
  if (all_equal(groups))
    return groups.front();
  Moments all;
  all.nonzero = 0;
  all.isPositive = true;
  double power = 0;
  const double share = 1 / double(groups.size());
  for (const Moments &group : groups) {
    all.mean += share * group.mean;
    power += share * group.power();
    // Each group has another offset.
    all.noise += share * group.noisePower();
    all.nonzero += share * group.nonzero;
    all.scaled += share * group.scaled;
    all.isPositive = all.isPositive && group.isPositive;
  }
  all.variance = std::max(0.0, power - all.mean * all.mean);
  return all;
}

TensorMoments TensorMoments::uniform(ArrayRef<int64_t> shape, const Moments &moments) {
  TensorMoments tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.kept.assign(shape.size(), 1);
  tensor.numbers.assign(1, moments);
  return tensor;
}

SmallVector<int64_t, 4> stridesOf(ArrayRef<int64_t> kept) {
  SmallVector<int64_t, 4> strides(kept.size());
  int64_t stride = 1;
  for (size_t axis = kept.size(); axis-- > 0;) {
    strides[axis] = kept[axis] > 1 ? stride : 0;
    stride *= kept[axis];
  }
  return strides;
}

/// Returns the index in `numbers` of the element at `at`.
static int64_t placeOf(ArrayRef<int64_t> strides, ArrayRef<int64_t> at) {
  return std::inner_product(strides.begin(), strides.end(), at.begin(), int64_t(0));
}

TensorMoments TensorMoments::sharedAlong(ArrayRef<bool> shared) const {
  TensorMoments result;
  result.shape = shape;
  result.kept = kept;
  for (size_t axis = 0; axis < kept.size(); ++axis)
    if (shared[axis])
      result.kept[axis] = 1;
  if (result.kept == kept)
    return *this;
  std::vector<SmallVector<Moments, 0>> groups(countOf(result.kept));
  const SmallVector<int64_t, 4> from = strides(), to = result.strides();
  forEachIndex(kept, [&](ArrayRef<int64_t> at) { groups[placeOf(to, at)].push_back(numbers[placeOf(from, at)]); });
  for (const SmallVector<Moments, 0> &group : groups)
    result.numbers.push_back(mergedMoments(group));
  return result;
}

/// Shares the axes along which all numbers are equal.
template <typename Number> static void shareEqualAxes(SmallVectorImpl<int64_t> &kept, std::vector<Number> &numbers) {
  for (size_t axis = 0; axis < kept.size(); ++axis) {
    const int64_t extent = kept[axis], stride = stridesOf(kept)[axis], count = int64_t(numbers.size());
    if (extent == 1)
      continue;
    bool isEqual = true;
    for (int64_t number = 0; number < count && isEqual; ++number)
      isEqual = numbers[number] == numbers[number - number / stride % extent * stride];
    if (!isEqual)
      continue;
    std::vector<Number> firsts;
    firsts.reserve(count / extent);
    for (int64_t number = 0; number < count; ++number)
      if (number / stride % extent == 0)
        firsts.push_back(numbers[number]);
    numbers = std::move(firsts);
    kept[axis] = 1;
  }
}

static TensorMoments condensed(TensorMoments tensor) {
  shareEqualAxes(tensor.kept, tensor.numbers);
  return tensor;
}

TensorMoments TensorMoments::reshaped(ArrayRef<int64_t> newShape, int64_t offset) const {
  constexpr int64_t mostElements = 1 << 20;
  auto isLong = [](int64_t extent) { return extent != 1; };
  TensorMoments result;
  result.shape.assign(newShape.begin(), newShape.end());
  if (offset == 0 && equal(make_filter_range(shape, isLong), make_filter_range(newShape, isLong))) {
    SmallVector<int64_t, 4> extents;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (isLong(shape[axis]))
        extents.push_back(kept[axis]);
    const int64_t *next = extents.begin();
    for (int64_t extent : newShape)
      result.kept.push_back(isLong(extent) ? *next++ : 1);
    result.numbers = numbers;
    return result;
  }
  const int64_t count = countOf(shape);
  // Rows of the same channels, from any channel on: all rows have the same moments.
  if (!shape.empty() && !newShape.empty() && newShape.back() == shape.back() &&
      int64_t(numbers.size()) == kept.back()) {
    result.kept.assign(newShape.size(), 1);
    result.kept.back() = kept.back();
    result.numbers = numbers;
    std::rotate(result.numbers.begin(), result.numbers.begin() + offset % kept.back(), result.numbers.end());
    return result;
  }
  if (numbers.size() == 1 || count > mostElements || countOf(newShape) > mostElements)
    return uniform(newShape, merged());
  std::vector<int64_t> places;
  places.reserve(count);
  const SmallVector<int64_t, 4> from = strides();
  forEachIndex(shape, [&](ArrayRef<int64_t> at) { places.push_back(placeOf(from, at)); });
  result.kept = result.shape;
  // A view may end after its source.
  std::vector<int64_t> chosen;
  chosen.reserve(countOf(newShape));
  for (int64_t number = 0; number < countOf(newShape); ++number)
    chosen.push_back(places[std::min(count - 1, offset + number)]);
  // Places are smaller than moments.
  shareEqualAxes(result.kept, chosen);
  for (int64_t place : chosen)
    result.numbers.push_back(numbers[place]);
  return condensed(std::move(result));
}

TensorMoments TensorMoments::sliced(ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) const {
  TensorMoments result;
  result.shape.assign(sizes.begin(), sizes.end());
  for (size_t axis = 0; axis < kept.size(); ++axis)
    result.kept.push_back(kept[axis] == 1 ? 1 : sizes[axis]);
  const SmallVector<int64_t, 4> from = strides();
  forEachIndex(result.kept, [&](ArrayRef<int64_t> at) {
    int64_t place = 0;
    for (size_t axis = 0; axis < kept.size(); ++axis)
      place += from[axis] * (offsets[axis] + at[axis] * steps[axis]);
    result.numbers.push_back(numbers[place]);
  });
  return result;
}

TensorMoments TensorMoments::withPart(const TensorMoments &part, ArrayRef<int64_t> offsets,
                                      ArrayRef<int64_t> steps) const {
  TensorMoments result;
  result.shape = shape;
  SmallVector<bool> isAll;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    isAll.push_back(kept[axis] == 1 && part.kept[axis] == 1 && 2 * part.shape[axis] >= shape[axis] && steps[axis] == 1);
    result.kept.push_back(isAll.back() ? 1 : shape[axis]);
  }
  const SmallVector<int64_t, 4> ofPart = part.strides(), ofThis = strides();
  forEachIndex(result.kept, [&](ArrayRef<int64_t> at) {
    bool isInPart = true;
    int64_t place = 0;
    for (size_t axis = 0; axis < shape.size() && isInPart; ++axis) {
      if (isAll[axis])
        continue;
      const int64_t distance = at[axis] - offsets[axis];
      isInPart = distance >= 0 && distance % steps[axis] == 0 && distance / steps[axis] < part.shape[axis];
      place += ofPart[axis] * (distance / steps[axis]);
    }
    result.numbers.push_back(isInPart ? part.numbers[place] : numbers[placeOf(ofThis, at)]);
  });
  return condensed(std::move(result));
}

} // namespace nacre::encode
