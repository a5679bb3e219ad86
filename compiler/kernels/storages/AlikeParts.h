// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts slices of storages that differ only in their offsets.
//
// The body of a kernel contains the offset of the slice that it works on. Without this file, each of 4,000 launches
// that write slices of a concatenation, or read slices of a split, would have its own kernel.
//
// Slices are counted by shape. If many are alike, the operand of a launch is memory that begins with its slice, so one
// kernel serves all of them. If few are alike, the storage keeps its shape, so that it may have a halo.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_ALIKEPARTS_H
#define NACRE_COMPILER_KERNELS_STORAGES_ALIKEPARTS_H

#include "compiler/kernels/storages/StorageLayout.h"
#include <map>
#include <vector>

namespace nacre::kernels {

class AlikeParts {
public:
  /// Counts a slice that a launch reads or writes.
  void count(const Place &part) {
    if (!part.isWhole())
      ++counts[getShape(part)];
  }

  bool areMany(const Place &part) const {
    auto found = counts.find(getShape(part));
    return found != counts.end() && found->second >= many;
  }

private:
  /// Smallest number of alike slices that share a kernel. The blocks of a densely connected network concatenate six
  /// slices or more, and each kernel takes as long to compile as all of its launches together take to run.
  static constexpr unsigned many = 4;

  static std::vector<int64_t> getShape(const Place &part);

  std::map<std::vector<int64_t>, unsigned> counts;
};

/// Returns the slice as a place in memory that begins with it. The slice is then all of this memory, or the first
/// elements of its rows. The last row of the memory may be shorter than the others.
Place beginWithPart(const Place &part);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_ALIKEPARTS_H
