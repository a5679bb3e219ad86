// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups that the fusion policy has formed so far, and the readers of each node.

#ifndef NACRE_COMPILER_KERNELS_FUSION_GROUPTABLE_H
#define NACRE_COMPILER_KERNELS_FUSION_GROUPTABLE_H

#include "compiler/kernels/fusion/FusionPolicy.h"

#include <set>

namespace nacre::kernels {

struct GroupTable {
  explicit GroupTable(llvm::ArrayRef<FusionNode> nodes);

  /// True if the group of `other` may take `node`: elementwise, not yet in a group, of the same shape and engine.
  bool mayFollow(int node, int other) const;
  /// Returns the number of values that the members read from other nodes. Each read of a constant counts.
  size_t countOutside(const std::set<int> &members) const;
  /// Returns the number of outside values that the group reads, without numbers that bodies contain.
  size_t countReads(const FusionGroup &group) const;
  /// Returns the number of operands, at least 1, without numbers that bodies contain.
  size_t countOperands(int node) const;
  /// Returns the number of operands of all members, without the one operand of each that the group itself computes.
  size_t countOperands(const FusionGroup &group) const;
  /// Returns the only group that reads the result of `chain`, or -1. Readers that broadcast the result don't count,
  /// because they would compute the chain several times. A group that begins with a lookup may be read only by another
  /// lookup's group.
  int findOnlyReader(const FusionGroup &chain) const;
  bool canBeMade(const FusionGroup &group) const;

  const llvm::ArrayRef<FusionNode> nodes;
  llvm::SmallVector<llvm::SmallVector<int, 2>> users;
  llvm::SmallVector<int> groupOf;
  llvm::SmallVector<FusionGroup> groups;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_GROUPTABLE_H
