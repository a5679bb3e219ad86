// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors in a checkpoint: a partitioned variable is stored as slices of one tensor.
//
// Each slice has its own entry. Its key encodes the tensor's name and the slice in an "ordered code": keys sort by
// name, then by slice. Keys are only made, never parsed.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SLICES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SLICES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace nacre::importer::tensorflow_format {

/// Range of a slice on one axis. By default, it is the whole axis.
struct SliceExtent {
  static constexpr int64_t full = -1;
  int64_t start = 0, length = full;
};

/// Part of a tensor: its start and size on each axis.
struct Box {
  llvm::SmallVector<int64_t> starts, sizes;

  bool operator==(const Box &other) const { return starts == other.starts && sizes == other.sizes; }
};

/// Parsed text of a slice in a restore operator, such as `4 6 0,2:-`: the shape of the tensor, then the range on each
/// axis.
struct SliceSpec {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<SliceExtent> extents;
};

llvm::Expected<SliceSpec> parseSliceSpec(llvm::StringRef text);

/// Returns the key of a slice's entry.
std::string makeSliceKey(llvm::StringRef tensor, llvm::ArrayRef<SliceExtent> extents);

/// Returns the part of a tensor of shape `shape` that the slice covers. Returns nullopt if the slice exceeds the
/// tensor. Sizes of the shape are at least 0.
std::optional<Box> resolveSlice(llvm::ArrayRef<SliceExtent> extents, llvm::ArrayRef<int64_t> shape);

/// Returns the part that covers a whole tensor of shape `shape`.
Box makeWhole(llvm::ArrayRef<int64_t> shape);

/// Returns the common part of two parts of the same tensor. It has size 0 on some axis if they are disjoint.
Box intersect(const Box &a, const Box &b);

/// True if two parts of the same tensor have a common element.
bool doOverlap(const Box &a, const Box &b);

/// True if a part has no elements.
bool isEmpty(const Box &box);

/// Copies the elements of `part`. `from` has the dense elements of `fromBox`, and `to` has the dense elements of
/// `toBox`. Both boxes contain the part.
void copyPart(const Box &part, const char *from, const Box &fromBox, char *to, const Box &toBox, size_t elementBytes);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SLICES_H
