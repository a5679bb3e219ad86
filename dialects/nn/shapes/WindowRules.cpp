// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of operators with windows: convolutions and pools, and those that go back from their results.

#include "dialects/nn/shapes/RejectedShape.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nacre::nn {

namespace {

Error checkWindow(const Window &window, size_t spatialRank, int64_t leastPad = 0) {
  for (auto [name, values] : {std::pair("kernel", window.kernel), std::pair("strides", window.strides),
                              std::pair("dilations", window.dilations)}) {
    if (Error error = checkLength(name, values, spatialRank))
      return error;
    if (Error error = checkRange(name, values, 1))
      return error;
  }
  if (Error error = checkLength("pads", window.pads, 2 * spatialRank))
    return error;
  if (Error error = checkRange("pads", window.pads, leastPad))
    return error;
  if (window.overhang.empty())
    return Error::success();
  if (Error error = checkLength("overhang", window.overhang, spatialRank))
    return error;
  return checkRange("overhang", window.overhang, 0);
}

/// Numbers of elements between windows and within a window.
struct Reach {
  int64_t begin, taps;
};

Expected<Reach> reachOf(const Window &window, size_t axis, int64_t windows) {
  Reach reach;
  if (MulOverflow(window.dilations[axis], window.kernel[axis] - 1, reach.taps) || reach.taps >= maxExtent)
    return reject("the window of spatial axis {0} is too large", axis);
  if (windows == 0 || MulOverflow(windows - 1, window.strides[axis], reach.begin) || reach.begin >= maxExtent)
    return reject("spatial axis {0} must span 1 to {1} elements, but has {2} of them, {3} apart", axis, maxExtent,
                  windows, window.strides[axis]);
  return reach;
}

/// Replaces the spatial extents of `input` by the number of windows along each axis.
Expected<Shape> slideWindow(Dims input, const Window &window) {
  size_t spatialRank = input.size() - 2;
  if (Error error = checkWindow(window, spatialRank))
    return error;
  Shape result(input), paddedShape(input);
  for (size_t axis = 0; axis < spatialRank; ++axis) {
    int64_t taps;
    if (MulOverflow(window.dilations[axis], window.kernel[axis] - 1, taps) || taps >= maxExtent)
      return reject("the window of spatial axis {0} is too large", axis);
    int64_t padded = input[axis + 1] + window.pads[axis] + window.pads[spatialRank + axis] +
                     (window.overhang.empty() ? 0 : window.overhang[axis]);
    if (taps + 1 > padded)
      return reject("the window of spatial axis {0} must fit into {1} padded elements, but covers {2}", axis, padded,
                    taps + 1);
    paddedShape[axis + 1] = padded;
    result[axis + 1] = (padded - taps - 1) / window.strides[axis] + 1;
  }
  // Later phases create a separate tensor for the padded input.
  if (!countElements(paddedShape))
    return reject("the padded input must fit into memory, but has shape {0}", print(paddedShape));
  return result;
}

/// Checks a filter `[spatial..., C / groups, OC]` for an input `[N, spatial..., C]`.
Error checkFilter(Dims input, Dims filter, int64_t groups) {
  if (input.size() < 3 || input.size() > 5)
    return reject("input must have 1 to 3 spatial axes, but has shape {0}", print(input));
  if (filter.size() != input.size())
    return reject("filter must have the rank of the input, {0}, but has shape {1}", input.size(), print(filter));
  int64_t channels = input.back(), outputChannels = filter.back(), perGroup = filter[filter.size() - 2];
  if (groups < 1 || channels % groups != 0 || outputChannels % groups != 0)
    return reject("groups must divide {0} input and {1} output channels, but is {2}", channels, outputChannels, groups);
  if (channels / groups != perGroup)
    return reject("filter must have {0} input channels per group, but has {1}", channels / groups, perGroup);
  return Error::success();
}

} // namespace

Expected<Shape> convShape(Dims input, Dims filter, Window window, int64_t groups) {
  if (Error error = checkFilter(input, filter, groups))
    return error;
  window.kernel = filter.drop_back(2);
  Expected<Shape> result = slideWindow(input, window);
  if (result)
    result->back() = filter.back();
  return result;
}

Expected<Shape> convTransposeShape(Dims input, Dims filter, Window window, int64_t groups) {
  if (Error error = checkFilter(input, filter, groups))
    return error;
  window.kernel = filter.drop_back(2);
  size_t spatialRank = input.size() - 2;
  if (Error error = checkWindow(window, spatialRank, /*leastPad=*/-maxExtent))
    return error;
  Shape result(input), widest(input), widestFilter(filter);
  result.back() = filter.back();
  widest.back() = std::max(input.back(), filter.back());
  for (size_t axis = 0; axis < spatialRank; ++axis) {
    const int64_t cells = input[axis + 1];
    Expected<Reach> reach = reachOf(window, axis, cells);
    if (!reach)
      return reach.takeError();
    const auto [begin, taps] = *reach;
    int64_t size = begin + taps + 1 - window.pads[axis] - window.pads[spatialRank + axis];
    if (size < 1)
      return reject("the pads of spatial axis {0} must leave some of its {1} elements", axis, begin + taps + 1);
    result[axis + 1] = size;
    widest[axis + 1] = std::max(size, begin + taps + 1) + taps;
    widestFilter[axis] = taps + 1 + (cells == 1 ? 1 : window.strides[axis]);
  }
  // Later phases create tensors that include the elements that are cut off, and filters with an element for every
  // position of a stride.
  for (const Shape *shape : {&widest, &widestFilter})
    if (!countElements(*shape))
      return reject("the covered region must fit into memory, but has shape {0}", print(*shape));
  return result;
}

Expected<Shape> poolShape(Dims input, const Window &window) {
  if (input.size() < 3 || input.size() > 5)
    return reject("input must have 1 to 3 spatial axes, but has shape {0}", print(input));
  return slideWindow(input, window);
}

Error checkCodes(Dims kernel) {
  std::optional<int64_t> cells = countElements(kernel);
  if (!cells || *cells > mostCodedCells)
    return reject("windows must have at most {0} cells, but have kernel {1}", mostCodedCells, print(kernel));
  return Error::success();
}

Expected<Shape> unpoolShape(Dims input, const Window &window) {
  if (input.size() < 3 || input.size() > 5)
    return reject("operand must have 1 to 3 spatial axes, but has shape {0}", print(input));
  const size_t spatialRank = input.size() - 2;
  const SmallVector<int64_t> none(2 * spatialRank, 0);
  if (Error error = checkWindow({window.kernel, window.strides, none, window.dilations}, spatialRank))
    return error;
  if (Error error = checkCodes(window.kernel))
    return error;
  Shape result = {input.front()};
  for (size_t axis = 0; axis < spatialRank; ++axis) {
    Expected<Reach> reach = reachOf(window, axis, input[axis + 1]);
    if (!reach)
      return reach.takeError();
    const int64_t stride = window.strides[axis];
    result.append({int64_t(divideCeil(reach->begin + reach->taps + 1, stride)), stride});
  }
  result.push_back(input.back());
  if (!countElements(result))
    return reject("the region that windows cover must fit into memory, but has shape {0}", print(result));
  return result;
}

} // namespace nacre::nn
