// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. every window's elements side by side, along an axis of their own; 2. which of them is the largest; 3. where
//       that one is: where its window begins, and how far it is from there.

#include "compiler/import/compositions/Poolings.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::importer {

/// What no element is less than.
static double leastOf(Type element) {
  if (isa<FloatType>(element))
    return -std::numeric_limits<double>::infinity();
  return element.isUnsignedInteger() ? 0 : -std::ldexp(1.0, int(element.getIntOrFloatBitWidth()) - 1);
}

static Value padWindows(NnBuilder &nn, Value x, const Window &window) {
  const size_t axes = window.kernel.size();
  SmallVector<int64_t> low(axes + 2, 0), high(low);
  for (size_t axis = 0; axis < axes; ++axis) {
    low[axis + 1] = window.pads[axis];
    high[axis + 1] = window.pads[axes + axis] + window.overhang[axis];
  }
  return nn.pad(nn::PadMode::Constant, x, low, high, leastOf(getElementType(x)));
}

Value indicesOfMaxima(NnBuilder &nn, Value x, const Window &window, Ints distances) {
  Value windows = x ? padWindows(nn, x, window) : Value();
  if (!windows)
    return {};
  // 1. [N, places, cells, places, cells ..., C], then [N, places..., cells, C].
  const size_t axes = window.kernel.size();
  SmallVector<int64_t> places, apart = {getShape(x).front()}, order = {0}, side;
  int64_t cells = 1;
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    places.push_back((getShape(windows)[axis + 1] - extent) / window.strides[axis] + 1);
    SmallVector<int64_t> positions;
    for (int64_t place = 0; place < places.back(); ++place)
      for (int64_t cell = 0; cell < window.kernel[axis]; ++cell)
        positions.push_back(place * window.strides[axis] + cell * window.dilations[axis]);
    windows = nn.gather(windows, nn.integers(positions), axis + 1);
    if (!windows)
      return {};
    apart.append({places.back(), window.kernel[axis]});
    order.push_back(1 + 2 * axis);
    cells *= window.kernel[axis];
  }
  for (size_t axis = 0; axis < axes; ++axis)
    order.push_back(2 + 2 * axis);
  order.push_back(1 + 2 * axes);
  apart.push_back(getShape(x).back());
  side.push_back(apart.front());
  side.append(places);
  side.append({cells, apart.back()});
  windows = nn.reshape(nn.transpose(nn.reshape(windows, apart), order), side);

  // 2.
  Value largest = nn.argReduce(nn::ArgKind::Max, windows, axes + 1, /*keepDims=*/false, /*selectLast=*/false);

  // 3.
  SmallVector<int64_t> fromBegin = {0};
  for (size_t axis = 0; axis < axes; ++axis) {
    SmallVector<int64_t> further;
    for (int64_t begin : fromBegin)
      for (int64_t cell = 0; cell < window.kernel[axis]; ++cell)
        further.push_back(begin + cell * window.dilations[axis] * distances[axis]);
    fromBegin = std::move(further);
  }
  Value index = nn.gather(nn.integers(fromBegin), largest, 0);
  for (size_t axis = 0; axis < axes; ++axis) {
    SmallVector<int64_t> begins;
    for (int64_t place = 0; place < places[axis]; ++place)
      begins.push_back((place * window.strides[axis] - window.pads[axis]) * distances[axis]);
    index = nn.add(index, nn.alignToAxis(nn.integers(begins), axis + 1, axes + 2));
  }
  return index;
}

} // namespace nacre::importer
