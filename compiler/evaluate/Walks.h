// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over indices for the interpreter. So broadcasting, strides and windows are defined in one place, by small
// functions over shapes. Positions count elements in row-major order.

#ifndef NACRE_COMPILER_EVALUATE_WALKS_H
#define NACRE_COMPILER_EVALUATE_WALKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::evaluate {

using Dims = llvm::ArrayRef<int64_t>;
using Shape = llvm::SmallVector<int64_t>;

inline int64_t product(Dims shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Returns the distance between neighbouring elements along each axis.
inline Shape stridesOf(Dims shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    strides[axis] = stride;
  return strides;
}

/// Returns the strides of an operand that broadcasts to the shape `result`. The stride is 0 along axes on which the
/// operand repeats.
inline Shape broadcastStridesOf(Dims operand, Dims result) {
  Shape own = stridesOf(operand), strides(result.size(), 0);
  for (size_t axis = 0; axis < operand.size(); ++axis)
    strides[result.size() - operand.size() + axis] = operand[axis] == 1 ? 0 : own[axis];
  return strides;
}

/// Calls `body(index)` for every index of `shape`. The last axis is innermost.
template <typename Body> void forEachIndex(Dims shape, Body &&body) {
  if (product(shape) == 0)
    return;
  Shape index(shape.size(), 0);
  while (true) {
    body(Dims(index));
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

/// Returns the sum of the products of `index` and `strides`.
inline int64_t positionOf(Dims index, Dims strides) {
  int64_t position = 0;
  for (size_t axis = 0; axis < index.size(); ++axis)
    position += index[axis] * strides[axis];
  return position;
}

/// Calls `body(position in the result, positions in the operands)` for every element of `shape`, in order. `strides`
/// are the strides of each operand.
template <size_t count, typename Body> void forEachElement(Dims shape, const Shape (&strides)[count], Body &&body) {
  const int64_t length = shape.empty() ? 1 : shape.back();
  int64_t number = 0;
  forEachIndex(shape.empty() ? shape : shape.drop_back(), [&](Dims outer) {
    int64_t positions[count];
    for (size_t i = 0; i < count; ++i)
      positions[i] = positionOf(outer, strides[i]);
    for (int64_t i = 0; i < length; ++i) {
      body(number++, positions);
      for (size_t operand = 0; operand < count; ++operand)
        positions[operand] += shape.empty() ? 0 : strides[operand].back();
    }
  });
}

/// Calls `body(position of the first element, distance of elements)` for every line of `shape` along `axis`. Lines are
/// in row-major order of the other axes.
template <typename Body> void forEachLine(Dims shape, int64_t axis, Body &&body) {
  const int64_t inner = product(shape.drop_front(axis + 1)), outer = product(shape.take_front(axis));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i)
      body(o * shape[axis] * inner + i, inner);
}

/// Returns `index` clamped to an axis of `extent` elements. A negative index counts from the end.
inline int64_t clampIndex(int64_t index, int64_t extent) {
  index += index < 0 ? extent : 0;
  return index < 0 ? 0 : index >= extent ? extent - 1 : index;
}

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_WALKS_H
