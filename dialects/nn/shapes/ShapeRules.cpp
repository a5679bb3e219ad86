// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of operators on whole axes, one function each. Sums and products that an untrusted file could overflow are
// bounded before they are computed.

#include "dialects/nn/shapes/ShapeRules.h"
#include "dialects/nn/shapes/RejectedShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nacre::nn {

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
