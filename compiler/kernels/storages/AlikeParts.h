// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of storages that differ only in where they begin.
//
// Why:  a kernel's body says which part of its storage it works on. So each of the 4,000 launches that write the parts of a
//       concatenation, or read those of a split, would have a kernel of its own.
// How:  parts are counted by their shape. Where many are alike, a launch names memory that begins with its part, and one kernel serves
//       them all. Where few are alike the kernel knows its offset, and with it how the part is aligned.

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
  /// More than a network's blocks concatenate, and few enough to compile.
  static constexpr unsigned many = 32;

  static std::vector<int64_t> getShape(const Place &part);

  std::map<std::vector<int64_t>, unsigned> counts;
};

/// Returns the part as one of memory that begins with it: all of that, or the first elements of its rows. The last row may then be shorter
/// than the others.
Place beginWithPart(const Place &part);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_ALIKEPARTS_H
