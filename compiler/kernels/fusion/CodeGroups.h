// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the kernel that computes the maxima of windows also compute their codes. A second kernel would read all windows
// again.

#ifndef NACRE_COMPILER_KERNELS_FUSION_CODEGROUPS_H
#define NACRE_COMPILER_KERNELS_FUSION_CODEGROUPS_H

#include "compiler/kernels/fusion/GroupTable.h"

namespace nacre::kernels {

/// Moves each group of codes into the group of its maxima, if all other readers of the maxima come after the codes.
void mergeCodes(GroupTable &table);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_CODEGROUPS_H
