// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of storages that differ only in their offsets.
//
// The body of a kernel defines the part of the storage that it works on. So each of 4,000 launches that write parts of
// a concatenation, or read parts of a split, would have its own kernel.
//
// Parts are counted by shape. If many are alike, a launch names memory that begins at its part, and one kernel serves
// all of them. If few are alike, the kernel knows its offset, and so the alignment of its part.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_ALIKEPARTS_H
#define NACRE_COMPILER_KERNELS_STORAGES_ALIKEPARTS_H

#include "compiler/kernels/storages/StorageLayout.h"
#include <map>
#include <vector>

namespace nacre::kernels {

class AlikeParts {
public:
  /// Counts a part that a launch reads or writes.
  void count(const Place &part) {
    if (!part.isWhole())
      ++counts[getShape(part)];
  }

  bool areMany(const Place &part) const {
    auto found = counts.find(getShape(part));
    return found != counts.end() && found->second >= many;
  }

private:
  /// Least number of alike parts that share a kernel: more than the blocks of a network concatenate, and few enough to
  /// compile.
  static constexpr unsigned many = 32;

  static std::vector<int64_t> getShape(const Place &part);

  std::map<std::vector<int64_t>, unsigned> counts;
};

/// Returns the part as a place in memory that begins with it: all of this memory, or the first elements of its rows.
/// The last row of the memory may then be shorter than the others.
Place beginWithPart(const Place &part);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_ALIKEPARTS_H
