// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  lets the kernel of windows' maxima compute their codes, too.
// Why:   a second kernel would read all windows again.

#ifndef NACRE_COMPILER_KERNELS_FUSION_CODEGROUPS_H
#define NACRE_COMPILER_KERNELS_FUSION_CODEGROUPS_H

#include "compiler/kernels/fusion/GroupTable.h"

namespace nacre::kernels {

/// Moves the members of each group of codes to the group of their maxima, if all other readers of the maxima come later.
void mergeCodes(GroupTable &table);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_CODEGROUPS_H
