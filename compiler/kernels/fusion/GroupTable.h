// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the groups that the fusion policy has formed so far, and who reads what of them.

#ifndef NACRE_COMPILER_KERNELS_FUSION_GROUPTABLE_H
#define NACRE_COMPILER_KERNELS_FUSION_GROUPTABLE_H

#include "compiler/kernels/fusion/FusionPolicy.h"

#include <set>

namespace nacre::kernels {

struct GroupTable {
  explicit GroupTable(llvm::ArrayRef<FusionNode> nodes);

  /// Whether a kernel that computes `other` may go on with `node`.
  bool mayFollow(int node, int other) const;
  /// Values that the members read of others; each constant counts, as often as it is read.
  size_t countOutside(const std::set<int> &members) const;
  /// The same, but numbers that bodies contain do not count.
  size_t countReads(const FusionGroup &group) const;
  /// Operands that are values; numbers that bodies contain are none, and the value that is computed on is one in any case.
  size_t countOperands(int node) const;
  /// Of all members, those that are computed on apart.
  size_t countOperands(const FusionGroup &group) const;
  /// The group that all uses of the chain's result are in, or -1; for a lookup and what follows it a lookup's. Broadcasting uses
  /// do not count: there the chain would be computed again for each of them.
  int findOnlyReader(const FusionGroup &chain) const;
  bool canBeMade(const FusionGroup &group) const;

  const llvm::ArrayRef<FusionNode> nodes;
  llvm::SmallVector<llvm::SmallVector<int, 2>> users;
  llvm::SmallVector<int> groupOf;
  llvm::SmallVector<FusionGroup> groups;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_GROUPTABLE_H
