// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BatchAxis.h.

#include "compiler/import/batch/BatchAxis.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace nacre::importer {

using Dims = llvm::ArrayRef<int64_t>;

int64_t countOuter(Dims shape, const BatchAxis &place) {
  int64_t outer = place.outer;
  for (int64_t size : shape.take_front(place.axis))
    outer *= size;
  return outer;
}

BatchAxis withChoices(Dims shape, BatchAxis place, uint32_t choices) {
  place.choices = uint32_t(1) << place.axis;
  if (!place.isAxisOfItsOwn() || shape[place.axis] != 1)
    return place;
  auto isUnit = [&](int64_t axis) {
    return axis >= 0 && axis < int64_t(shape.size()) && axis < 32 && shape[axis] == 1;
  };
  for (int64_t axis = place.axis; isUnit(axis); --axis)
    place.choices |= choices & (uint32_t(1) << axis);
  for (int64_t axis = place.axis; isUnit(axis); ++axis)
    place.choices |= choices & (uint32_t(1) << axis);
  return place;
}

/// The axis of `to` that holds the rows as they are, one of several that do: by number from the front, then from the back.
static int64_t chooseAxis(size_t fromRank, size_t toRank, int64_t axis, Dims exact) {
  const int64_t fromBack = axis + int64_t(toRank) - int64_t(fromRank);
  for (int64_t wish : {axis, fromBack})
    if (llvm::is_contained(exact, wish))
      return wish;
  return exact.front();
}

std::optional<BatchAxis> throughReshape(Dims from, Dims to, const BatchAxis &place, int64_t batch) {
  const int64_t outer = countOuter(from, place);
  llvm::SmallVector<int64_t> exact;
  std::optional<BatchAxis> merged;
  if (outer == 0)
    return std::nullopt;
  int64_t before = 1;
  for (int64_t axis : llvm::seq<int64_t>(to.size())) {
    const int64_t size = to[axis];
    if (size == 0)
      return std::nullopt;
    const int64_t ownOuter = outer / before; // of this axis, if the axes before it hold whole rows
    const bool holdsRows = outer % before == 0 && size % (ownOuter * batch) == 0;
    if (holdsRows && ownOuter == 1 && size == batch)
      exact.push_back(axis);
    // The last axis is most often of features. Rows are merged with it only if no other axis holds them.
    else if (holdsRows && !merged)
      merged = BatchAxis{axis, ownOuter, size / (ownOuter * batch), uint32_t(1) << axis};
    before *= size;
  }
  if (exact.empty())
    return merged;
  const BatchAxis chosen = BatchAxis::at(chooseAxis(from.size(), to.size(), place.axis, exact));
  return withChoices(to, chosen, batch == 1 ? ~uint32_t(0) : 0);
}

} // namespace nacre::importer
