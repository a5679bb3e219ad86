// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Position of a tensor in a storage, and the effect of slices, reshapes and pads on it. A view costs nothing and a copy
// costs a pass over memory; arithmetic on shapes decides between them.
//
// A storage has a logical shape and a halo around it. A place is a box in the storage, seen under some shape. Only a
// dense storage, which never gets a halo, may be seen under another shape than its own.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_STORAGELAYOUT_H
#define NACRE_COMPILER_KERNELS_STORAGES_STORAGELAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::kernels {

using Sizes = llvm::SmallVector<int64_t, 5>;

struct StorageShape {
  Sizes shape;          ///< Shape without the halo.
  Sizes low, high;      ///< Halo, one entry per axis.
  int64_t gap = 0;      ///< Unused elements after each row of the last axis.
  bool isDense = false; ///< True if it must never get a halo or a gap.

  bool hasHalo() const;
  /// Returns the shape in memory, with halo and gap.
  Sizes getMemoryShape() const;
};

/// Box in a storage, or every n-th element of a box. Offsets count from the logical origin, so they are negative inside
/// of a low halo.
struct Place {
  int storage = -1;
  Sizes shape;      ///< Shape under which the storage is seen, from element `base` on.
  int64_t base = 0; ///< 0 unless the storage is dense.
  Sizes offsets, sizes;
  Sizes steps; ///< Distances between elements, per axis.

  static Place whole(int storage, llvm::ArrayRef<int64_t> shape);
  /// True if the box is the whole shape.
  bool isWhole() const;
  /// True if the elements of the box are consecutive, provided that the storage has no halo.
  bool isContiguous() const;
  /// Returns the position of the first element of the box in a dense storage.
  int64_t getFirstElement() const;
  Place slice(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> lengths) const;
  /// Returns the box of the `lengths` elements at starts + k * strides.
  Place every(llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> lengths) const;
  /// True if other elements lie between those of the box.
  bool hasSteps() const;
  /// Returns the same elements under another shape; `nullopt` if the box is not contiguous. The storage must be dense.
  std::optional<Place> reshape(llvm::ArrayRef<int64_t> newShape) const;
  /// Returns the elements of a contiguous box as the whole of `newShape`, which begins at its first element in a dense
  /// storage.
  Place seenAs(llvm::ArrayRef<int64_t> newShape) const;
};

/// Grows a box into the halo of its storage by `low` and `high`, and enlarges the halo if necessary. Returns `nullopt`
/// if that is impossible.
std::optional<Place> growIntoHalo(StorageShape &storage, const Place &place, llvm::ArrayRef<int64_t> low,
                                  llvm::ArrayRef<int64_t> high);

/// Returns the part of the storage that the writer of `place` must fill: the box and the halo at the ends that it
/// touches. A box with steps has no halo.
Place getWrittenRegion(const StorageShape &storage, const Place &place);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_STORAGELAYOUT_H
