// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the kernel of a weight's gradient also update the weight and its moments. The gradient is then never in memory.

#ifndef NACRE_COMPILER_KERNELS_FUSION_UPDATEGROUPS_H
#define NACRE_COMPILER_KERNELS_FUSION_UPDATEGROUPS_H

#include "compiler/kernels/fusion/GroupTable.h"

namespace nacre::kernels {

/// Largest number of reads of an update. An update reads each state and constant several times.
constexpr size_t kMaxReadsOfUpdate = 32;

/// Adds all operators that depend on the last value of `group`, if all of them lead only to new values of states.
/// Members of `group` are in no other group.
void takeUpdate(const GroupTable &table, FusionGroup &group);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_UPDATEGROUPS_H
