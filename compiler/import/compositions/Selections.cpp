// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/compositions/Selections.h"

#include "dialects/nn/IndexedCopy.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

/// How many elements of a mask are true.
static Value countTrue(NnBuilder &nn, Value mask) {
  if (!mask)
    return {};
  Value ones = nn.cast(mask, nn.types().getI64Type());
  return ones ? nn.reduce(ReduceKind::Sum, ones, axisRange(0, getRank(mask)), /*keepDims=*/false) : Value();
}

/// `values` as a column, which broadcasts against a row.
static Value column(NnBuilder &nn, Ints values) {
  return nn.reshape(nn.integers(values), {static_cast<int64_t>(values.size()), 1});
}

Value findTrue(NnBuilder &nn, Value mask) { return nn.limit(nn.compact(mask), 0, countTrue(nn, mask)); }

Value findNonZero(NnBuilder &nn, Value x) {
  if (!x)
    return {};
  SmallVector<int64_t> shape(getShape(x));
  const int64_t rank = getRank(x), number = getType(x).getNumElements();
  Value mask = getElementType(x).isInteger(1) ? x : nn.unary(UnaryKind::Not, nn.binary(BinaryKind::Equal, x, 0.0));
  Value found = findTrue(nn, nn.reshape(mask, number));
  if (!found)
    return {};
  // A scalar has no index, but it may be found.
  if (rank == 0)
    return nn.slice(nn.broadcast(found, {1, getShape(found)[0]}), 0, 0, 0);
  SmallVector<int64_t> strides = nn::rowMajorStrides(shape);
  for (int64_t &stride : strides)
    stride = std::max<int64_t>(stride, 1); // of no elements
  for (int64_t &size : shape)
    size = std::max<int64_t>(size, 1);
  return nn.binary(BinaryKind::Mod, nn.div(found, column(nn, strides)), column(nn, shape));
}

UniqueParts findUnique(NnBuilder &nn, Value x, int64_t axis, bool sorted) {
  if (!x)
    return {};
  SmallVector<int64_t> toFront{axis};
  for (int64_t other : axisRange(0, getRank(x)))
    if (other != axis)
      toFront.push_back(other);
  const int64_t number = getShape(x)[axis];
  int64_t columns = 1;
  for (int64_t other : ArrayRef(toFront).drop_front())
    columns *= getShape(x)[other];
  // Rows without columns are all alike.
  Value rows = columns == 0 ? nn.splat(RankedTensorType::get({number, 1}, nn.types().getI1Type()), 0)
                            : nn.reshape(nn.transpose(x, toFront), {number, columns});
  auto [first, inverse, counts] = nn.unique(rows, sorted);
  if (!first)
    return {};
  Value count = countTrue(nn, nn.binary(BinaryKind::Less, nn.scalar(counts, 0), counts));
  first = nn.limit(first, 0, count);
  return {nn.gather(x, first, axis), first, inverse, nn.limit(counts, 0, count)};
}

Value suppressNonMaxima(NnBuilder &nn, const NnBuilder::Suppression &suppression) {
  auto [selected, counts] = nn.nms(suppression);
  if (!selected)
    return {};
  const int64_t classes = getShape(selected)[1], limit = suppression.limit, number = getType(selected).getNumElements();
  Value isTaken = nn.binary(BinaryKind::Less, nn.counting(limit), counts);
  Value at = findTrue(nn, nn.reshape(isTaken, number));
  Value box = nn.gather(nn.reshape(selected, number), at, 0);
  // A column each: image and class are in the index itself.
  Value indices = nn.binary(BinaryKind::Mod, nn.div(at, column(nn, {classes * limit, limit, 1})),
                            column(nn, {getShape(selected)[0], classes, limit}));
  Value isBox = nn.binary(BinaryKind::Equal, column(nn, {0, 0, 1}), 1.0);
  return nn.transpose(nn.select(isBox, box, indices), {1, 0});
}

} // namespace nacre::importer
