// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which operators around a reduction are one kernel of rows.
// Why:   a softmax of integers, or a norm that a model spells out, reduces a row, computes something of the result, and reads the row again.
//        The row is in the first cache by then, and a launch for each step costs more than the step.
// How:   from the first reduction on, the smallest sets of operators that let one value out (as behind any anchor) join, where each of
//        them is elementwise over the rows' elements or over one number per row, or reduces the same axes. A group must read its rows
//        twice; otherwise the reduction is a nest with an epilogue, which several threads can share.

#ifndef NACRE_COMPILER_KERNELS_FUSION_ROWGROUPS_H
#define NACRE_COMPILER_KERNELS_FUSION_ROWGROUPS_H

#include "compiler/kernels/fusion/GroupTable.h"

#include <optional>

namespace nacre::kernels {

/// The group of rows that begins with node `first`, if there is one, of nodes that are in no group.
std::optional<FusionGroup> findRowGroup(const GroupTable &table, int first);

/// Whether node `user` reads a value of `shape` element by element.
bool readsWhole(llvm::ArrayRef<FusionNode> nodes, int user, int shape);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_ROWGROUPS_H
