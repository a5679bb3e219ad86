// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/storages/StorageBuilder.h"

#include "dialects/StoredBytes.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

/// Alignment of slices and views in bytes, so that vectors of any element type can be loaded aligned.
constexpr int64_t alignment = 16;

bool isAligned(int64_t elements, Type elementType) { return elements * bytesOfElement(elementType) % alignment == 0; }

} // namespace

int StorageBuilder::addStorage(ArrayRef<int64_t> shape, Type elementType, Location loc, bool isDense) {
  StorageShape layout;
  layout.shape = Sizes(shape);
  layout.low = layout.high = Sizes(shape.size(), 0);
  layout.isDense = isDense;
  storages.push_back({std::move(layout), elementType, Value(), TypedAttr(), plan::OutputOp(), loc, /*isRow=*/false});
  return storages.size() - 1;
}

Place StorageBuilder::getGivenMemory(Value memory) {
  auto [known, isNew] = givenMemory.try_emplace(memory, -1);
  if (isNew) {
    known->second = addStorage(getShape(memory), getElementType(memory), memory.getLoc(), /*isDense=*/true);
    storages.back().memory = memory;
  }
  return Place::whole(known->second, getShape(memory));
}

Place StorageBuilder::addTemporary(Value value) {
  return Place::whole(addStorage(getShape(value), getElementType(value), value.getLoc(), /*isDense=*/false),
                      getShape(value));
}

bool StorageBuilder::startsAligned(const Place &place) const {
  Type elementType = storages[place.storage].elementType;
  return isAligned(place.base, elementType) && (place.offsets.empty() || isAligned(place.offsets.back(), elementType));
}

std::optional<Place> StorageBuilder::reshape(const Place &place, ArrayRef<int64_t> shape) {
  PlannedStorage &storage = storages[place.storage];
  if (storage.layout.hasHalo() || storage.layout.gap)
    return std::nullopt;
  std::optional<Place> view = place.reshape(shape);
  if (!view || !isAligned(view->base, storage.elementType))
    return std::nullopt;
  if (view->base != 0 || view->shape != storage.layout.shape)
    storage.layout.isDense = true;
  return view;
}

Place StorageBuilder::addTemporaryUnlessPlaced(Value value) {
  auto placed = places.find(value);
  return placed != places.end() ? placed->second : addTemporary(value);
}

Place StorageBuilder::makeDense(Operation *op, Value value) {
  const Place place = places.at(value);
  PlannedStorage &storage = storages[place.storage];
  if (!storage.layout.hasHalo() && !storage.layout.gap && place.isContiguous()) {
    Place dense = place.seenAs(getShape(value));
    if (isAligned(dense.base, storage.elementType)) {
      storage.layout.isDense = true;
      return dense;
    }
  }
  int copy = addStorage(getShape(value), getElementType(value), op->getLoc(), /*isDense=*/true);
  Place dense = Place::whole(copy, getShape(value));
  copies[op].push_back({value, dense, dense, {}, {}});
  return dense;
}

} // namespace nacre::kernels
