// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  cuts the halo around a written slice into boxes, and says which units write each.
// Why:   a kernel writes the halo of its target, and only that: the interior must not be written twice.
// How:   axis by axis, the part below the slice and the part above it; what is left lies inside on that axis.

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

/// `outer` without `inner`, which lies inside it, as disjoint boxes. The parts below and above along `firstAxis` come
/// first and are complete; all others lie inside `inner` on that axis, so they can be cut along it.
llvm::SmallVector<Box> subtractBox(const Box &outer, const Box &inner, int64_t firstAxis);

/// A box of a halo, and the indices of the cut axis whose unit writes it: every box belongs to somebody, whatever a
/// share is.
struct HaloBox : Box {
  enum class Owner {
    First,    ///< Index 0: the box lies before the axis.
    Last,     ///< The last index: it lies behind.
    Alongside ///< Every index has the part beside it.
  };
  Owner owner = Owner::Alongside;
};

/// The halo of `low` and `high` elements, axis by axis, around a slice of `shape`, by its indices.
llvm::SmallVector<HaloBox> cutHalo(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> low,
                                   llvm::ArrayRef<int64_t> high, unsigned cutAxis);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_HALOBOXES_H
