// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  cuts the halo around a written slice into boxes, and finds the units that write each box.
// Why:   a kernel writes the halo of its target in addition to the interior, and must not write the interior twice.
// How:   for each axis, the part below the slice and the part above it become boxes. The rest has the slice's range on
//        that axis.

#ifndef NACRE_CODEGEN_FORM_HALOBOXES_H
#define NACRE_CODEGEN_FORM_HALOBOXES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::codegen {

/// A part of a storage: on axis i, the elements from offsets[i] to offsets[i] + sizes[i], exclusive.
struct Box {
  llvm::SmallVector<int64_t> offsets, sizes;
};

/// Returns `outer` without `inner`, which lies inside it, as disjoint boxes. The boxes below and above `inner` along
/// `firstAxis` come first and span all of `outer` on the other axes. All other boxes have the range of `inner` on
/// `firstAxis`, so they can be cut along it.
llvm::SmallVector<Box> subtractBox(const Box &outer, const Box &inner, int64_t firstAxis);

/// A box of a halo, and the indices of the cut axis whose units write it. Each part of a box has one writer, however
/// the engines share the axis.
struct HaloBox : Box {
  enum class Owner {
    First,    ///< Units of index 0. The box lies before the slice.
    Last,     ///< Units of the last index. The box lies after the slice.
    Alongside ///< Units of every index, which write their part of the box.
  };
  Owner owner = Owner::Alongside;
};

/// Returns the halo around a slice of `shape` that has `low` and `high` elements on each axis. Offsets are indices of
/// the slice.
llvm::SmallVector<HaloBox> cutHalo(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> low,
                                   llvm::ArrayRef<int64_t> high, unsigned cutAxis);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_HALOBOXES_H
