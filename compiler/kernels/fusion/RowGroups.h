// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which operators around a reduction form one kernel of rows. A softmax of integers, or a norm that a model
// spells out, reduces a row, computes with the result, and reads the row again. The row is then still in the L1 cache.
// Separate launches would cost more than the work.
//
// A group begins with the first reduction. Repeatedly, the smallest set of following operators from which only one
// value leaves joins the group. Each operator computes a value per element or per row, or reduces the same axes. A
// group must read its rows twice. Otherwise the reduction becomes a nest with an epilogue, which several threads can
// share.

#ifndef NACRE_COMPILER_KERNELS_FUSION_ROWGROUPS_H
#define NACRE_COMPILER_KERNELS_FUSION_ROWGROUPS_H

#include "compiler/kernels/fusion/GroupTable.h"

#include <optional>

namespace nacre::kernels {

/// Returns the group of rows that begins with node `first`, or `nullopt`. Its members are in no other group.
std::optional<FusionGroup> findRowGroup(const GroupTable &table, int first);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_ROWGROUPS_H
