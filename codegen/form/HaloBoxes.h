// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  cuts the halo around a written slice into boxes, and tells which units write each box.
// Why:   a kernel writes the halo of its target, and only that: the interior must not be written twice.
// How:   for each axis, split off the part below the slice and the part above it. The rest lies inside the slice on
//        that axis.

#ifndef NACRE_CODEGEN_FORM_HALOBOXES_H
#define NACRE_CODEGEN_FORM_HALOBOXES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::codegen {

/// A part of a storage: elements offsets[i] to offsets[i] + sizes[i] of each axis.
struct Box {
  llvm::SmallVector<int64_t> offsets, sizes;
};

/// Returns `outer` without `inner`, which lies inside it, as disjoint boxes. The parts below and above along
/// `firstAxis` come first and are complete. All other boxes lie inside `inner` on that axis, so they can be cut along
/// it.
llvm::SmallVector<Box> subtractBox(const Box &outer, const Box &inner, int64_t firstAxis);

/// A box of a halo, and the indices of the cut axis whose units write it. Every box has an owner, for any shares.
struct HaloBox : Box {
  enum class Owner {
    First,    ///< Index 0: the box lies before the slice.
    Last,     ///< The last index: the box lies after the slice.
    Alongside ///< Every index writes its part of the box.
  };
  Owner owner = Owner::Alongside;
};

/// Returns the halo of `low` and `high` elements per axis around a slice of `shape`. Offsets are indices of the slice.
llvm::SmallVector<HaloBox> cutHalo(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> low,
                                   llvm::ArrayRef<int64_t> high, unsigned cutAxis);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_HALOBOXES_H
