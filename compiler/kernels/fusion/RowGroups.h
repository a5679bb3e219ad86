// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which operators around a reduction form one kernel of rows. A softmax of integers, or a norm spelled out by a
// model, reduces a row, computes with the result, and reads the row again. The row is in the L1 cache by then, and a
// launch per step would cost more than the step.
//
// Beginning with the first reduction, the smallest set of operators that lets only one value out joins, again and
// again. Each operator works on each element of the rows or once per row, or reduces the same axes. A group must read
// its rows twice. Otherwise, the reduction is a nest with an epilogue, which several threads can share.

#ifndef NACRE_COMPILER_KERNELS_FUSION_ROWGROUPS_H
#define NACRE_COMPILER_KERNELS_FUSION_ROWGROUPS_H

#include "compiler/kernels/fusion/GroupTable.h"

#include <optional>

namespace nacre::kernels {

/// Returns the group of rows that begins with node `first`, if there is one. Its members are in no other group.
std::optional<FusionGroup> findRowGroup(const GroupTable &table, int first);

/// True if node `user` reads a value of `shape` element by element.
bool readsWhole(llvm::ArrayRef<FusionNode> nodes, int user, int shape);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_ROWGROUPS_H
