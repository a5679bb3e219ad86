// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  cuts the halo around a written slice into boxes.
// Why:   a kernel writes the halo of its target, and only that: the interior must not be written twice.
// How:   axis by axis, the part below the slice and the part above it; what is left lies inside on that axis.

#ifndef NACRE_CODEGEN_FORM_HALOBOXES_H
#define NACRE_CODEGEN_FORM_HALOBOXES_H

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

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_HALOBOXES_H
