// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/storages/StorageLayout.h"

#include "dialects/nn/shapes/ShapeRules.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

namespace nacre::kernels {

bool StorageShape::hasHalo() const {
  auto isSet = [](int64_t amount) { return amount != 0; };
  return llvm::any_of(low, isSet) || llvm::any_of(high, isSet);
}

Sizes StorageShape::getMemoryShape() const {
  Sizes memory(shape);
  for (size_t axis = 0; axis < memory.size(); ++axis)
    memory[axis] += low[axis] + high[axis];
  if (!memory.empty())
    memory.back() += gap;
  return memory;
}

Place Place::whole(int storage, llvm::ArrayRef<int64_t> shape) {
  return {storage, Sizes(shape), 0, Sizes(shape.size(), 0), Sizes(shape), Sizes(shape.size(), 1)};
}

bool Place::isWhole() const {
  return sizes == shape && llvm::all_of(offsets, [](int64_t offset) { return offset == 0; });
}

bool Place::hasSteps() const {
  return llvm::any_of(steps, [](int64_t step) { return step != 1; });
}

bool Place::isContiguous() const {
  if (hasSteps())
    return false;
  bool inRun = false;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (inRun && sizes[axis] != shape[axis])
      return false;
    inRun |= sizes[axis] != 1;
  }
  return true;
}

int64_t Place::getFirstElement() const {
  int64_t element = 0;
  for (size_t axis = 0; axis < sizes.size(); ++axis)
    element = element * shape[axis] + offsets[axis];
  return base + element;
}

Place Place::slice(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> lengths) const {
  Place part = *this;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    part.offsets[axis] += starts[axis] * steps[axis];
    part.sizes[axis] = lengths[axis];
  }
  return part;
}

Place Place::every(llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> starts,
                   llvm::ArrayRef<int64_t> lengths) const {
  Place part = slice(starts, lengths);
  for (size_t axis = 0; axis < sizes.size(); ++axis)
    part.steps[axis] *= strides[axis];
  return part;
}

std::optional<Place> Place::reshape(llvm::ArrayRef<int64_t> newShape) const {
  if (newShape == llvm::ArrayRef<int64_t>(sizes))
    return *this;
  if (!isContiguous())
    return std::nullopt;
  return seenAs(newShape);
}

Place Place::seenAs(llvm::ArrayRef<int64_t> newShape) const {
  assert(isContiguous() && "else there are elements of others between its own");
  Place view = whole(storage, newShape);
  view.base = getFirstElement();
  return view;
}

std::optional<Place> growIntoHalo(StorageShape &storage, const Place &place, llvm::ArrayRef<int64_t> low,
                                  llvm::ArrayRef<int64_t> high) {
  if (storage.isDense || place.base != 0 || place.shape != storage.shape || place.hasSteps())
    return std::nullopt;
  Place grown = place;
  StorageShape raised = storage;
  for (size_t axis = 0; axis < low.size(); ++axis) {
    int64_t start = place.offsets[axis], end = start + place.sizes[axis];
    // If the box does not reach the end of the axis, its neighbour is another tensor instead of the halo.
    if ((low[axis] > 0 && start > 0) || (high[axis] > 0 && end < storage.shape[axis]))
      return std::nullopt;
    grown.offsets[axis] -= low[axis];
    grown.sizes[axis] += low[axis] + high[axis];
    raised.low[axis] = std::max(raised.low[axis], low[axis] - start);
    raised.high[axis] = std::max(raised.high[axis], end + high[axis] - storage.shape[axis]);
    // The last axis gets no halo. It would enlarge every row, and kernels vectorize along this axis.
    bool isLast = axis + 1 == low.size();
    if (isLast && (raised.low[axis] > 0 || raised.high[axis] > 0))
      return std::nullopt;
  }
  // Two readers may each request a large halo along different axes, so the total size may overflow.
  if (!nn::countElements(raised.getMemoryShape()))
    return std::nullopt;
  storage = std::move(raised);
  return grown;
}

Place getWrittenRegion(const StorageShape &storage, const Place &place) {
  Place region = place;
  if (!storage.hasHalo() || place.hasSteps())
    return region;
  assert(place.base == 0 && place.shape == storage.shape && "a storage with a halo is seen as it is");
  for (size_t axis = 0; axis < place.sizes.size(); ++axis) {
    int64_t start = place.offsets[axis], end = start + place.sizes[axis];
    if (start == 0)
      region.offsets[axis] -= storage.low[axis];
    if (end == storage.shape[axis])
      end += storage.high[axis];
    region.sizes[axis] = end - region.offsets[axis];
  }
  return region;
}

} // namespace nacre::kernels
