// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per rule. Sums and products that an untrusted file could overflow are bounded before they are computed.

#include "dialects/nn/shapes/ShapeRules.h"
#include "dialects/nn/shapes/RejectedShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nacre::nn {

namespace {

/// Largest valid size, stride or pad. A sum of several larger values could overflow.
constexpr int64_t maxExtent = int64_t(1) << 48;

Error checkLength(const char *name, Dims values, size_t length) {
  if (values.size() == length)
    return Error::success();
  return reject("{0} must have {1} entries, but is {2}", name, length, print(values));
}

Error checkRange(const char *name, Dims values, int64_t low, int64_t high = maxExtent) {
  if (all_of(values, [&](int64_t v) { return v >= low && v <= high; }))
    return Error::success();
  return reject("{0} must be {1} or more, but is {2}", name, low, print(values));
}

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

} // namespace

std::optional<int64_t> countElements(Dims shape) {
  // An empty shape is limited, too, so that products of some of its dimensions never overflow.
  int64_t count = 1;
  for (int64_t dim : shape)
    if (dim < 0 || MulOverflow(count, std::max<int64_t>(dim, 1), count) || count > maxExtent)
      return std::nullopt;
  return is_contained(shape, 0) ? 0 : count;
}

Error checkAxis(int64_t axis, size_t rank) {
  if (axis >= 0 && axis < int64_t(rank))
    return Error::success();
  return reject("axis must be at least 0 and less than the rank {0}, but is {1}", rank, axis);
}

Error checkAxes(Dims axes, size_t rank) {
  for (int64_t axis : axes)
    if (Error error = checkAxis(axis, rank))
      return error;
  for (size_t i = 1; i < axes.size(); ++i)
    if (axes[i - 1] >= axes[i])
      return reject("axes must be sorted and unique, but are {0}", print(axes));
  return Error::success();
}

Expected<Shape> broadcastShapes(ArrayRef<Dims> shapes) {
  size_t rank = 0;
  for (Dims shape : shapes)
    rank = std::max(rank, shape.size());
  Shape result(rank, 1);
  for (Dims shape : shapes)
    for (auto [have, want] : zip(reverse(shape), reverse(result))) {
      if (have == want || have == 1)
        continue;
      if (want != 1) {
        std::string all = join(map_range(shapes, print), " and ");
        return reject("shapes must broadcast, but are {0}", all);
      }
      want = have;
    }
  return result;
}

Expected<Shape> matMulShape(Dims lhs, Dims rhs) {
  if (lhs.size() < 2 || rhs.size() < 2)
    return reject("operands must have rank 2 or more, but have shapes {0} and {1}", print(lhs), print(rhs));
  if (lhs.back() != rhs[rhs.size() - 2])
    return reject(
        "the last dimension of the left operand must equal the second-last of the right, but they are {0} and {1}",
        lhs.back(), rhs[rhs.size() - 2]);
  Expected<Shape> result = broadcastShapes({lhs.drop_back(2), rhs.drop_back(2)});
  if (result)
    result->append({lhs[lhs.size() - 2], rhs.back()});
  return result;
}

/// Checks a filter `[spatial..., C / groups, OC]` for an input `[N, spatial..., C]`.
static Error checkFilter(Dims input, Dims filter, int64_t groups) {
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

Expected<Shape> reduceShape(Dims operand, Dims axes, bool keepDims) {
  if (Error error = checkAxes(axes, operand.size()))
    return error;
  Shape result;
  for (auto [axis, dim] : enumerate(operand)) {
    if (!is_contained(axes, int64_t(axis)))
      result.push_back(dim);
    else if (keepDims)
      result.push_back(1);
  }
  return result;
}

Expected<Shape> transposeShape(Dims operand, Dims permutation) {
  SmallBitVector seen(operand.size());
  for (int64_t axis : permutation)
    if (axis >= 0 && axis < int64_t(operand.size()))
      seen.set(axis);
  if (permutation.size() != operand.size() || !seen.all())
    return reject("permutation must hold each of {0} axes once, but is {1}", operand.size(), print(permutation));
  return Shape(map_range(permutation, [&](int64_t axis) { return operand[axis]; }));
}

Expected<Shape> concatShape(ArrayRef<Dims> operands, int64_t axis) {
  if (operands.empty())
    return reject("there must be at least one operand");
  if (Error error = checkAxis(axis, operands.front().size()))
    return error;
  Shape result(operands.front());
  for (Dims operand : operands.drop_front()) {
    Shape want = result;
    if (operand.size() == want.size())
      want[axis] = operand[axis];
    if (Dims(want) != operand)
      return reject("operands must have equal sizes except along axis {0}, but have shapes {1} and {2}", axis,
                    print(operands.front()), print(operand));
    result[axis] += operand[axis];
    if (result[axis] > maxExtent)
      return reject("axis {0} of the result is too large", axis);
  }
  return result;
}

Expected<Shape> interleaveShape(ArrayRef<Dims> operands, Dims strides) {
  if (Error error = checkRange("strides", strides, 1))
    return error;
  std::optional<int64_t> count = countElements(strides);
  if (!count || strides.empty() || int64_t(operands.size()) != *count)
    return reject("there must be one operand per index into an array of shape {0}, but there are {1}", print(strides),
                  operands.size());
  // Along each axis, the operands that are first along all other axes hold all of the result's elements together.
  Shape result(strides.size(), 0);
  int64_t distance = 1;
  for (size_t axis = strides.size(); axis-- > 0; distance *= strides[axis])
    for (int64_t first = 0; first < strides[axis]; ++first) {
      Dims operand = operands[first * distance];
      if (operand.size() != strides.size())
        return reject("operands must have the {0} axes of the strides, but one has shape {1}", strides.size(),
                      print(operand));
      result[axis] += operand[axis];
      if (result[axis] > maxExtent)
        return reject("axis {0} of the result is too large", axis);
    }
  for (auto [number, operand] : enumerate(operands)) {
    Shape want(strides.size());
    int64_t left = number;
    for (size_t axis = strides.size(); axis-- > 0; left /= strides[axis])
      want[axis] = divideCeil(std::max<int64_t>(result[axis] - left % strides[axis], 0), strides[axis]);
    if (operand != Dims(want))
      return reject("operand {0} must hold its share of the result's elements, {1}, but has shape {2}", number,
                    print(want), print(operand));
  }
  return result;
}

Expected<Shape> sliceShape(Dims operand, Dims starts, Dims sizes, Dims steps) {
  for (auto [name, values] : {std::pair("starts", starts), std::pair("sizes", sizes), std::pair("steps", steps)})
    if (Error error = checkLength(name, values, operand.size()))
      return error;
  for (auto [axis, dim, start, size, step] : enumerate(operand, starts, sizes, steps)) {
    if (step == 0)
      return reject("steps must not be 0, but are {0}", print(steps));
    if (size < 0 || start < 0)
      return reject("starts and sizes must be 0 or more, but are {0} and {1}", print(starts), print(sizes));
    int64_t walk = 0;
    bool inside = size == 0 || (start < dim && !MulOverflow<int64_t>(size - 1, step, walk) && walk < dim &&
                                walk > -dim && start + walk >= 0 && start + walk < dim);
    if (!inside)
      return reject("axis {0} must have {1} elements starting at {2} in steps of {3}, but has {4}", axis, size, start,
                    step, dim);
  }
  return Shape(sizes);
}

Expected<Shape> padShape(Dims operand, Dims low, Dims high, PadReach reach) {
  for (auto [name, values] : {std::pair("low", low), std::pair("high", high)}) {
    if (Error error = checkLength(name, values, operand.size()))
      return error;
    if (Error error = checkRange(name, values, -maxExtent))
      return error;
  }
  Shape result;
  for (auto [axis, dim, before, after] : enumerate(operand, low, high)) {
    bool repeatsOneElement = reach == PadReach::Edge && dim > 0;
    int64_t most = reach == PadReach::Any || repeatsOneElement ? maxExtent
                   : reach == PadReach::ExtentLessOne          ? dim - 1
                                                               : dim;
    if (std::max(before, after) > std::max<int64_t>(most, 0))
      return reject("axis {0} of extent {1} must be padded by at most {2} in this mode, but is padded by {3} and {4}",
                    axis, dim, most, before, after);
    if (dim + before + after < 0)
      return reject("axis {0} of extent {1} must keep 0 elements or more, but is padded by {2} and {3}", axis, dim,
                    before, after);
    result.push_back(dim + before + after);
  }
  return result;
}

Expected<Shape> resampleShape(Dims operand, Dims axes, ArrayRef<SampleTable> tables, int64_t maxReads) {
  if (Error error = checkAxes(axes, operand.size()))
    return error;
  if (tables.size() != axes.size())
    return reject("there must be one table for each of {0} axes, but there are {1}", axes.size(), tables.size());
  Shape result(operand);
  int64_t reads = 1;
  for (auto [axis, table] : zip(axes, tables)) {
    if (table.taps < 1 || table.taps > maxReads || (reads *= table.taps) > maxReads)
      return reject("an element must depend on 1 to {0} others", maxReads);
    auto isOutside = [dim = operand[axis]](int32_t index) { return index < 0 || index >= dim; };
    if (any_of(table.indices, isOutside))
      return reject("indices of axis {0} must lie between 0 and its extent {1}, but one does not", axis, operand[axis]);
    result[axis] = table.positions;
  }
  return result;
}

} // namespace nacre::nn
