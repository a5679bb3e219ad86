// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors in a checkpoint: a variable that was divided is stored as slices of one tensor.
//
// How:  each slice has an entry of its own, whose key encodes the tensor's name and the slice so that keys sort as these do
//       (ordered code). Keys are made from what is wanted and never read.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SLICES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SLICES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace nacre::importer::tensorflow_format {

/// What a slice takes of one axis; without a length all of it.
struct SliceExtent {
  static constexpr int64_t full = -1;
  int64_t start = 0, length = full;
};

/// A part of a tensor: where it begins and how large it is, on each axis.
struct Box {
  llvm::SmallVector<int64_t> starts, sizes;

  bool operator==(const Box &other) const { return starts == other.starts && sizes == other.sizes; }
};

/// What a restore operator is told about a part: the shape of the whole, then the slice, as `4 6 0,2:-`.
struct SliceSpec {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<SliceExtent> extents;
};

llvm::Expected<SliceSpec> parseSliceSpec(llvm::StringRef text);

/// The key of a slice's entry.
std::string makeSliceKey(llvm::StringRef tensor, llvm::ArrayRef<SliceExtent> extents);

/// The part of a tensor of that shape, or nothing where the slice leads out of it. Sizes of the shape are at least 0.
std::optional<Box> resolveSlice(llvm::ArrayRef<SliceExtent> extents, llvm::ArrayRef<int64_t> shape);

/// All of a tensor of that shape.
Box makeWhole(llvm::ArrayRef<int64_t> shape);

/// What two parts of the same tensor share; empty sizes on some axis where they share nothing.
Box intersect(const Box &a, const Box &b);

/// Whether two parts of the same tensor share an element.
bool doOverlap(const Box &a, const Box &b);

/// Whether a part has no elements.
bool isEmpty(const Box &box);

/// Copies `part` from `from`, the dense elements of `fromBox`, to `to`, those of `toBox`. Both hold the part.
void copyPart(const Box &part, const char *from, const Box &fromBox, char *to, const Box &toBox, size_t elementBytes);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SLICES_H
