// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/compositions/Selections.h"

#include "compiler/import/compositions/Movement.h"
#include "compiler/import/control/RegionBuilder.h"
#include "dialects/nn/IndexedCopy.h"

#include <limits>

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

/// Returns the number of true elements of a mask.
static Value countTrue(NnBuilder &nn, Value mask) {
  if (!mask)
    return {};
  Value ones = nn.cast(mask, nn.types().getI64Type());
  return ones ? nn.reduce(ReduceKind::Sum, ones, axisRange(0, getRank(mask)), /*keepDims=*/false) : Value();
}

/// Returns `values` as a column, which broadcasts against a row.
static Value column(NnBuilder &nn, Ints values) {
  return nn.reshape(nn.integers(values), {static_cast<int64_t>(values.size()), 1});
}

Value findTrue(NnBuilder &nn, Value mask) { return nn.limit(nn.compact(mask), 0, countTrue(nn, mask)); }

Value findNonZero(NnBuilder &nn, Value x) {
  if (!x)
    return {};
  x = fillOpenAxes(nn, x, 0);
  if (!x)
    return {};
  SmallVector<int64_t> shape(getShape(x));
  const int64_t rank = getRank(x), number = getType(x).getNumElements();
  Value mask = getElementType(x).isInteger(1) ? x : nn.unary(UnaryKind::Not, nn.binary(BinaryKind::Equal, x, 0.0));
  Value found = findTrue(nn, nn.reshape(mask, number));
  if (!found)
    return {};
  // A scalar has no axes, so its index is empty, but it may be nonzero.
  if (rank == 0)
    return nn.slice(nn.broadcast(found, {1, getShape(found)[0]}), 0, 0, 0);
  SmallVector<int64_t> strides = nn::rowMajorStrides(shape);
  for (int64_t &stride : strides)
    stride = std::max<int64_t>(stride, 1); // avoids a division by 0 if there are no elements
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
  // Rows without columns are all equal, so one constant column replaces them.
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
  // There is one column per box. The position of a box determines its image and class.
  Value indices = nn.binary(BinaryKind::Mod, nn.div(at, column(nn, {classes * limit, limit, 1})),
                            column(nn, {getShape(selected)[0], classes, limit}));
  Value isBox = nn.binary(BinaryKind::Equal, column(nn, {0, 0, 1}), 1.0);
  return nn.transpose(nn.select(isBox, box, indices), {1, 0});
}

/// Returns the area of the intersection of each of `boxes` with `one` [1, 4], divided by the area of their union. The
/// result is 0 for boxes without area.
static Value overlaps(NnBuilder &nn, Value boxes, Value one) {
  struct Ends {
    Value low, high, area;
  };
  auto multiply = [&](Value sides) { return nn.mul(nn.slice(sides, 1, 0, 1), nn.slice(sides, 1, 1, 1)); };
  auto measure = [&](Value box) {
    Value first = nn.slice(box, 1, 0, 2), second = nn.slice(box, 1, 2, 2);
    Value low = nn.binary(BinaryKind::Min, first, second), high = nn.binary(BinaryKind::Max, first, second);
    return Ends{low, high, multiply(nn.sub(high, low))};
  };
  const Ends all = measure(boxes), other = measure(one);
  Value sides =
      nn.sub(nn.binary(BinaryKind::Min, all.high, other.high), nn.binary(BinaryKind::Max, all.low, other.low));
  Value common = multiply(nn.binary(BinaryKind::Max, sides, 0.0));
  Value part = nn.div(common, nn.sub(nn.add(all.area, other.area), common));
  Value haveAreas = nn.binary(BinaryKind::And, nn.binary(BinaryKind::Greater, all.area, 0.0),
                              nn.binary(BinaryKind::Greater, other.area, 0.0));
  Value result = nn.select(haveAreas, part, nn.scalar(boxes, 0));
  return result ? nn.reshape(result, getShape(boxes)[0]) : Value();
}

TakenBoxes suppressSoftly(NnBuilder &nn, Value boxes, Value scores, const SoftSuppression &suppression) {
  if (!boxes || !scores)
    return {};
  constexpr double none = -std::numeric_limits<double>::infinity();
  Type i64 = nn.types().getI64Type();
  Value zero = nn.splat(RankedTensorType::get({}, i64), 0), places = nn.counting(getShape(boxes)[0]);
  auto keep = [&](Value which, Value values) { return nn.select(which, values, nn.scalar(scores, none)); };
  auto isCandidate = [&](Value values) { return nn.binary(BinaryKind::Greater, values, suppression.score); };
  // Each iteration selects the best box, and decreases the scores of the others.
  auto take = [&](Value, ArrayRef<Value> carried, ArrayRef<Value>) -> FailureOr<Iteration> {
    Value left = carried[0];
    Value best = nn.argReduce(nn::ArgKind::Max, left, 0, /*keepDims=*/false, /*selectLast=*/false);
    Value score = nn.gather(left, best, 0), isFound = isCandidate(score);
    Value overlap = overlaps(nn, boxes, nn.gather(boxes, nn.reshape(best, {1}), 0));
    Value faded = nn.unary(UnaryKind::Exp, nn.mul(nn.mul(overlap, -0.5 / suppression.sigma), overlap));
    Value isGone = nn.binary(BinaryKind::Or, nn.binary(BinaryKind::Greater, overlap, suppression.overlap),
                             nn.binary(BinaryKind::Equal, places, best));
    Value stays = nn.binary(BinaryKind::And, isCandidate(left), nn.unary(UnaryKind::Not, isGone));
    Iteration iteration{{keep(stays, nn.mul(left, faded)), nn.add(carried[1], nn.cast(isFound, i64))},
                        {nn.select(isFound, best, zero), nn.select(isFound, score, nn.scalar(scores, 0))}};
    if (llvm::is_contained(iteration.carried, Value()) || llvm::is_contained(iteration.rows, Value()))
      return failure();
    return iteration;
  };
  Loop loop;
  loop.bound = suppression.limit;
  loop.initial = {keep(isCandidate(scores), scores), zero};
  if (llvm::is_contained(loop.initial, Value()))
    return {};
  FailureOr<LoopResults> results = RegionBuilder(nn).buildLoop(loop, take);
  if (failed(results))
    return {};
  return {results->stacks[0], results->stacks[1], results->finals[1]};
}

} // namespace nacre::importer
