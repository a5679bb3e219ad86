// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the kernel of a pointwise convolution also compute the depthwise convolution that it reads. The values between
// them are then never in memory.

#ifndef NACRE_COMPILER_KERNELS_FUSION_SEPARABLEGROUPS_H
#define NACRE_COMPILER_KERNELS_FUSION_SEPARABLEGROUPS_H

#include "compiler/kernels/fusion/GroupTable.h"

namespace nacre::kernels {

/// Moves the group of each depthwise convolution into the group of the pointwise convolution that is its only reader,
/// if `rule` says that this pays.
void mergeSeparable(GroupTable &table, const SeparableRule &rule);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_SEPARABLEGROUPS_H
