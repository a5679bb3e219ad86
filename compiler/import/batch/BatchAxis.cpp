// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BatchAxis.h.

#include "compiler/import/batch/BatchAxis.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace nacre::importer {

using Dims = llvm::ArrayRef<int64_t>;

int64_t countOuter(Dims shape, const BatchPlace &place) {
  int64_t outer = place.outer;
  for (int64_t size : shape.take_front(place.axis))
    outer *= size;
  return outer;
}

BatchAxis withChoices(Dims shape, const BatchPlace &place, llvm::ArrayRef<BatchPlace> choices) {
  BatchAxis result(place);
  for (const BatchPlace &choice : choices)
    if (!result.mayBe(choice) && countOuter(shape, choice) == countOuter(shape, place))
      result.choices.push_back(choice);
  return result;
}

llvm::SmallVector<BatchPlace> findPlaces(Dims shape, int64_t outer, int64_t batch) {
  llvm::SmallVector<BatchPlace> exact, merged;
  if (outer == 0 || llvm::is_contained(shape, 0))
    return {};
  int64_t before = 1;
  for (int64_t axis : llvm::seq<int64_t>(shape.size())) {
    // The axes before this axis hold whole rows, and this axis holds the other factor of `outer`.
    if (const int64_t own = outer / before; outer % before == 0 && shape[axis] % (own * batch) == 0) {
      const BatchPlace place = {axis, own, shape[axis] / (own * batch)};
      (place.isAxisOfItsOwn() ? exact : merged).push_back(place);
    }
    before *= shape[axis];
  }
  // The last axis usually holds features. Rows are merged with it only if no earlier axis holds them.
  exact.append(merged.begin(), merged.end());
  return exact;
}

std::optional<BatchAxis> throughReshape(Dims from, Dims to, const BatchPlace &place, int64_t batch) {
  const llvm::SmallVector<BatchPlace> places = findPlaces(to, countOuter(from, place), batch);
  if (places.empty())
    return std::nullopt;
  // Among several separate axes, prefers the axis with the same index from the front, and then from the back.
  BatchPlace chosen = places.front();
  if (chosen.isAxisOfItsOwn())
    for (int64_t axis : {place.axis, place.axis + int64_t(to.size()) - int64_t(from.size())})
      if (const BatchPlace wish = {axis}; llvm::is_contained(places, wish)) {
        chosen = wish;
        break;
      }
  return withChoices(to, chosen, places);
}

} // namespace nacre::importer
