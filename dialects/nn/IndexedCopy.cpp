// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. copy rows that are contiguous on both sides by memcpy;
//        2. otherwise, copy tiles of the last axis and the axis that is contiguous in the source. The cache lines of
//           both sides then stay in the cache. Without tiles, transposing a weight is ten times slower.

#include "dialects/nn/IndexedCopy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstring>

using namespace llvm;

namespace nacre::nn {

namespace {

/// Number of elements along a tile's side. Even the smallest cache holds 32 lines of 64 bytes for both sides.
constexpr int64_t tileSide = 32;

bool isContiguous(ArrayRef<int64_t> table) {
  for (size_t i = 1; i < table.size(); ++i)
    if (table[i] != table[i - 1] + 1)
      return false;
  return true;
}

/// Copies a plane. In the target, rows are `rowStride` bytes apart, and columns `columnStride` bytes.
template <unsigned Bytes>
void copyPlane(char *target, int64_t rowStride, const char *source, ArrayRef<int64_t> rows, ArrayRef<int64_t> columns,
               int64_t columnStride) {
  for (size_t r = 0; r < rows.size(); r += tileSide)
    for (size_t c = 0; c < columns.size(); c += tileSide)
      for (size_t i = r, rowEnd = std::min(rows.size(), r + tileSide); i < rowEnd; ++i)
        for (size_t j = c, columnEnd = std::min(columns.size(), c + tileSide); j < columnEnd; ++j)
          std::memcpy(target + i * rowStride + j * columnStride, source + (rows[i] + columns[j]) * int64_t(Bytes),
                      Bytes);
}

void copyPlane(char *target, int64_t rowStride, const char *source, ArrayRef<int64_t> rows, ArrayRef<int64_t> columns,
               int64_t columnStride, unsigned elementBytes) {
  switch (elementBytes) {
  case 1:
    return copyPlane<1>(target, rowStride, source, rows, columns, columnStride);
  case 2:
    return copyPlane<2>(target, rowStride, source, rows, columns, columnStride);
  case 4:
    return copyPlane<4>(target, rowStride, source, rows, columns, columnStride);
  case 8:
    return copyPlane<8>(target, rowStride, source, rows, columns, columnStride);
  }
  llvm_unreachable("elements have 1, 2, 4 or 8 bytes");
}

} // namespace

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    strides[axis] = stride;
  return strides;
}

SmallVector<int64_t, 0> walk(int64_t size, int64_t stride, int64_t start) {
  SmallVector<int64_t, 0> table(size);
  for (int64_t i = 0; i < size; ++i)
    table[i] = start + i * stride;
  return table;
}

void forEachIndex(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> body) {
  if (is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    body(index);
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

void copyIndexed(char *target, ArrayRef<int64_t> targetStrides, const char *source, const OffsetTables &tables,
                 unsigned elementBytes) {
  const int64_t zero[] = {0};
  size_t rank = tables.size();
  size_t last = rank - 1;
  ArrayRef<int64_t> columns = rank == 0 ? ArrayRef<int64_t>(zero) : ArrayRef<int64_t>(tables[last]);
  int64_t columnStride = rank == 0 ? elementBytes : targetStrides[last] * elementBytes;
  bool wholeRows = isContiguous(columns) && columnStride == int64_t(elementBytes);

  size_t tiled = rank;
  if (!wholeRows)
    for (size_t axis = 0; axis + 1 < rank; ++axis)
      if (tables[axis].size() > 1 && isContiguous(tables[axis]))
        tiled = axis;

  SmallVector<int64_t> outer;
  for (size_t axis = 0; axis + 1 < rank; ++axis)
    outer.push_back(axis == tiled ? 1 : tables[axis].size());
  if (columns.empty() || (tiled < rank && tables[tiled].empty()))
    return;
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    int64_t from = 0, to = 0;
    for (auto [axis, i] : enumerate(index)) {
      if (axis == tiled)
        continue;
      from += tables[axis][i];
      to += targetStrides[axis] * i;
    }
    char *row = target + to * elementBytes;
    const char *base = source + from * int64_t(elementBytes);
    if (wholeRows)
      std::memcpy(row, base + columns.front() * int64_t(elementBytes), columns.size() * elementBytes);
    else if (tiled == rank)
      copyPlane(row, 0, base, zero, columns, columnStride, elementBytes);
    else
      copyPlane(row, targetStrides[tiled] * elementBytes, base, tables[tiled], columns, columnStride, elementBytes);
  });
}

} // namespace nacre::nn
