// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where a tensor lies in a storage, and how slices, reshapes and pads move that place.
// Why:   a view costs nothing and a copy costs a pass over memory; which one it is, is arithmetic on shapes.
// How:   a storage has a logical shape and, around it, a halo. A place is a box in the storage seen under some shape.
//        Only a dense storage (no halo, for ever) may be seen under another shape than its own.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_STORAGELAYOUT_H
#define NACRE_COMPILER_KERNELS_STORAGES_STORAGELAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::kernels {

using Sizes = llvm::SmallVector<int64_t, 5>;

struct StorageShape {
  Sizes shape;          ///< Without the halo.
  Sizes low, high;      ///< The halo, one entry per axis.
  int64_t gap = 0;      ///< Unused elements after each row of the last axis.
  bool isDense = false; ///< Must never get a halo or a gap.

  bool hasHalo() const;
  /// With halo and gap: what is in memory.
  Sizes getMemoryShape() const;
};

/// A box in a storage, or every so manyth element of one. Offsets count from the logical origin, so they are negative
/// inside a low halo.
struct Place {
  int storage = -1;
  Sizes shape;      ///< Under which the storage is seen, from element `base` on.
  int64_t base = 0; ///< Not 0 in dense storages alone.
  Sizes offsets, sizes;
  Sizes steps; ///< From one element to the next.

  static Place whole(int storage, llvm::ArrayRef<int64_t> shape);
  /// Whether the box is all that is seen.
  bool isWhole() const;
  /// Whether the elements of the box lie one behind the other, if the storage has no halo.
  bool isContiguous() const;
  /// The position in a dense storage of the box's first element.
  int64_t getFirstElement() const;
  Place slice(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> lengths) const;
  /// The elements starts + k * strides, `lengths` of them.
  Place every(llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> lengths) const;
  /// Whether there are elements of others between its own.
  bool hasSteps() const;
  /// The same elements under another shape, where the box is contiguous. The storage must be dense.
  std::optional<Place> reshape(llvm::ArrayRef<int64_t> newShape) const;
  /// The elements of a contiguous box as all that is seen of a dense storage, from the first of them on.
  Place seenAs(llvm::ArrayRef<int64_t> newShape) const;
};

/// Tries to let a box grow into the halo of its storage by `low` and `high`; raises the halo where it is too small.
std::optional<Place> growIntoHalo(StorageShape &storage, const Place &place, llvm::ArrayRef<int64_t> low,
                                  llvm::ArrayRef<int64_t> high);

/// The part of the storage that the writer of `place` must fill: the box with the halo at the ends that it touches. What
/// has steps has none.
Place getWrittenRegion(const StorageShape &storage, const Place &place);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_STORAGELAYOUT_H
