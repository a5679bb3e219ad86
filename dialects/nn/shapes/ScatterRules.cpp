// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of operators that read or write at positions given by an index tensor.

#include "dialects/nn/shapes/RejectedShape.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nacre::nn {

namespace {

/// Limit of the size of a sampled axis. Positions, even mirrored ones, must fit into 32 bits.
constexpr int64_t maxSampledExtent = int64_t(1) << 28;

/// Returns the number of coordinates in the last axis of `indices`. Reports an error if it exceeds `axes`.
Expected<int64_t> countCoordinates(Dims indices, int64_t axes) {
  if (indices.empty() || indices.back() < 1 || indices.back() > axes)
    return reject("indices must hold 1 to {0} coordinates along their last axis, but hold {1}", axes,
                  indices.empty() ? 0 : indices.back());
  return indices.back();
}

/// Checks indices that select along `axis`. Along the other axes, they must not have more elements than the operand.
Error checkElementIndices(Dims operand, Dims indices, int64_t axis) {
  if (Error error = checkAxis(axis, operand.size()))
    return error;
  if (indices.size() != operand.size())
    return reject("indices must have the operand's rank {0}, but have {1}", operand.size(), indices.size());
  for (auto [dim, size] : enumerate(indices))
    if (int64_t(dim) != axis && size > operand[dim])
      return reject("indices must have at most {0} elements along axis {1}, but have {2}", operand[dim], dim, size);
  return Error::success();
}

} // namespace

Expected<Shape> gatherShape(Dims operand, Dims indices, int64_t axis) {
  if (Error error = checkAxis(axis, operand.size()))
    return error;
  if (operand[axis] == 0 && !is_contained(indices, 0))
    return reject("axis {0} must not be empty", axis);
  Shape result(operand.take_front(axis));
  result.append(indices.begin(), indices.end());
  result.append(operand.begin() + axis + 1, operand.end());
  return result;
}

Expected<Shape> gatherNdShape(Dims operand, Dims indices, int64_t batchDims) {
  if (batchDims < 0 || batchDims >= int64_t(std::min(operand.size(), indices.size())))
    return reject("batch_dims must be less than the rank of the operand and of the indices, {0} and {1}, but is {2}",
                  operand.size(), indices.size(), batchDims);
  if (operand.take_front(batchDims) != indices.take_front(batchDims))
    return reject("operand and indices must have the same first {0} axes", batchDims);
  Expected<int64_t> coordinates = countCoordinates(indices, int64_t(operand.size()) - batchDims);
  if (!coordinates)
    return coordinates.takeError();
  Shape result(indices.drop_back());
  if (is_contained(operand.slice(batchDims, *coordinates), 0) && !is_contained(result, 0))
    return reject("the operand must not be empty");
  result.append(operand.begin() + batchDims + *coordinates, operand.end());
  return result;
}

Expected<Shape> gatherElementsShape(Dims operand, Dims indices, int64_t axis) {
  if (Error error = checkElementIndices(operand, indices, axis))
    return error;
  if (operand[axis] == 0 && !is_contained(indices, 0))
    return reject("axis {0} must not be empty", axis);
  return Shape(indices);
}

Expected<Shape> scatterNdShape(Dims operand, Dims indices, Dims updates) {
  Expected<int64_t> coordinates = countCoordinates(indices, int64_t(operand.size()));
  if (!coordinates)
    return coordinates.takeError();
  Shape wanted(indices.drop_back());
  wanted.append(operand.begin() + *coordinates, operand.end());
  if (Dims(wanted) != updates)
    return reject("updates must have shape {0}, but have {1}", print(wanted), print(updates));
  return Shape(operand);
}

Expected<Shape> scatterElementsShape(Dims operand, Dims indices, Dims updates, int64_t axis) {
  if (Error error = checkElementIndices(operand, indices, axis))
    return error;
  if (indices != updates)
    return reject("updates must have the shape {0} of the indices, but have {1}", print(indices), print(updates));
  return Shape(operand);
}

Expected<Shape> sampleShape(Dims input, Dims positions, std::optional<Dims> images) {
  if (input.size() < 3 || input.size() > 5)
    return reject("input must have 1 to 3 spatial axes, but has shape {0}", print(input));
  int64_t spatial = int64_t(input.size()) - 2;
  if (positions.size() < 2 || positions.back() != spatial)
    return reject("positions must have rows, points and {0} coordinates each, but have shape {1}", spatial,
                  print(positions));
  if (images ? *images != positions.take_front() : input.front() != positions.front())
    return reject("each of {0} rows of positions must have an image, but there are {1}", positions.front(),
                  images ? print(*images) : std::to_string(input.front()));
  Shape result(positions.drop_back());
  result.push_back(input.back());
  std::optional<int64_t> pixels = countElements(input), points = countElements(result);
  if (pixels && points && *pixels == 0 && *points != 0)
    return reject("input must have elements to sample, but has shape {0}", print(input));
  for (int64_t dim : input.drop_back())
    if (dim > maxSampledExtent)
      return reject("all axes but the channels must have {0} elements at most, but have shape {1}", maxSampledExtent,
                    print(input));
  return result;
}

} // namespace nacre::nn
