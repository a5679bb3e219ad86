// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the groups that the fusion policy has formed so far, and the readers of each node.

#ifndef NACRE_COMPILER_KERNELS_FUSION_GROUPTABLE_H
#define NACRE_COMPILER_KERNELS_FUSION_GROUPTABLE_H

#include "compiler/kernels/fusion/FusionPolicy.h"

#include <set>

namespace nacre::kernels {

/// Limits of the members of a kernel, and of the values that it reads. They keep the time linear for long chains.
constexpr size_t kMaxMembers = 64;
constexpr size_t kMaxOperands = 16;

struct GroupTable {
  explicit GroupTable(llvm::ArrayRef<FusionNode> nodes);

  /// True if the group of `other` may take `node`: it is elementwise, in no group, and has the same shape and engine.
  bool mayFollow(int node, int other) const;
  /// Returns how many values the members read from nodes outside `members`. Each read of a constant counts.
  size_t countOutside(const std::set<int> &members) const;
  /// Returns the number of values that the group reads from outside. Splat constants count as 0, because bodies contain
  /// them.
  size_t countReads(const FusionGroup &group) const;
  /// Returns the number of operands, at least 1. Splat constants count as 0, because bodies contain them.
  size_t countOperands(int node) const;
  /// Returns the number of operands of all members. One operand per member does not count: the one that the group
  /// computes.
  size_t countOperands(const FusionGroup &group) const;
  /// Returns the index of the only group that reads the result of `chain`. Returns -1 if no such group exists. Readers
  /// that broadcast the result don't qualify, because they would compute the chain several times. A group that begins
  /// with a lookup may be read only by the group of another lookup.
  int findOnlyReader(const FusionGroup &chain) const;
  bool canBeMade(const FusionGroup &group) const;
  /// True if a kernel may have the members and operands of both groups.
  bool fitOneKernel(const FusionGroup &group, const FusionGroup &other) const;
  /// True if the group `reader` may also read the operands of `chain`.
  bool readFewTogether(const FusionGroup &reader, const FusionGroup &chain) const;

  /// Adds a group whose members are in no other group.
  void add(FusionGroup group);
  /// Moves all members of `group` to the end of the group with the index `to`.
  void move(FusionGroup &group, int to);

  const llvm::ArrayRef<FusionNode> nodes;
  llvm::SmallVector<llvm::SmallVector<int, 2>> users;
  llvm::SmallVector<int> groupOf;
  llvm::SmallVector<FusionGroup> groups;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_GROUPTABLE_H
