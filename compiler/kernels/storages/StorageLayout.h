// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the position of a tensor in a storage, and how slices, reshapes and pads change it. A view costs nothing and
// a copy costs a pass over memory. This arithmetic on shapes decides which of them is needed.
//
// A storage has a logical shape and a halo around it. A place is a box in the storage, which may be seen under another
// shape. Only a dense storage, which never gets a halo, may be seen under another shape.

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
  Sizes low, high;      ///< Sizes of the halo before and after the elements of each axis.
  int64_t gap = 0;      ///< Unused elements after each row of the last axis.
  bool isDense = false; ///< True if the storage must never get a halo or a gap.

  bool hasHalo() const;
  /// Returns the shape in memory, including halo and gap.
  Sizes getMemoryShape() const;
};

/// Box in a storage, or every n-th element of a box. Offsets are relative to the first element after the halo, so they
/// are negative inside of a low halo.
struct Place {
  int storage = -1;
  Sizes shape;      ///< Shape under which the storage is seen, beginning at element `base`.
  int64_t base = 0; ///< First element of the seen shape; 0 unless the storage is dense.
  Sizes offsets, sizes;
  Sizes steps; ///< Distance between consecutive elements of the box along each axis.

  static Place whole(int storage, llvm::ArrayRef<int64_t> shape);
  /// True if the box is the whole shape.
  bool isWhole() const;
  /// True if the elements of the box are consecutive, provided that the storage has no halo.
  bool isContiguous() const;
  /// Returns the position of the first element of the box in a dense storage.
  int64_t getFirstElement() const;
  Place slice(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> lengths) const;
  /// Returns the `lengths` elements of the box at starts + k * strides.
  Place every(llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> lengths) const;
  /// True if other elements lie between the elements of the box.
  bool hasSteps() const;
  /// Returns the same elements under another shape, or `nullopt` if the box is not contiguous. The storage must be
  /// dense.
  std::optional<Place> reshape(llvm::ArrayRef<int64_t> newShape) const;
  /// Returns the elements of a contiguous box in a dense storage as a tensor of shape `newShape`. The seen shape then
  /// begins at the first element of the box.
  Place seenAs(llvm::ArrayRef<int64_t> newShape) const;
};

/// Grows a box by `low` and `high` into the halo of its storage, and enlarges the halo if necessary. Returns `nullopt`
/// if the halo cannot be enlarged.
std::optional<Place> growIntoHalo(StorageShape &storage, const Place &place, llvm::ArrayRef<int64_t> low,
                                  llvm::ArrayRef<int64_t> high);

/// Returns the part of the storage that the writer of `place` must fill: the box, and the halo at each end of an axis
/// that the box touches. A box with steps has no halo.
Place getWrittenRegion(const StorageShape &storage, const Place &place);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_STORAGELAYOUT_H
