// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the kernel of a product combine equal parts of its columns, such as the gates of a recurrent cell.

#ifndef NACRE_COMPILER_KERNELS_FUSION_PARTGROUPS_H
#define NACRE_COMPILER_KERNELS_FUSION_PARTGROUPS_H

#include "compiler/kernels/fusion/GroupTable.h"

#include <optional>

namespace nacre::kernels {

/// Returns the group of the contraction `first`, its parts, and all elementwise operators that follow, up to the first
/// value that other operators read. Returns `nullopt` if operators that are not parts read the contraction, or if
/// operators outside read a part.
std::optional<FusionGroup> findPartGroup(const GroupTable &table, int first);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_PARTGROUPS_H
