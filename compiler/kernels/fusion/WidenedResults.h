// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets readers widen the values that they read, so that memory holds the narrower values.

#ifndef NACRE_COMPILER_KERNELS_FUSION_WIDENEDRESULTS_H
#define NACRE_COMPILER_KERNELS_FUSION_WIDENEDRESULTS_H

#include "compiler/kernels/fusion/GroupTable.h"

namespace nacre::kernels {

/// Moves operators at the end of a group that only widen or dequantize its value to the only group that reads it.
void leaveWidening(GroupTable &table);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_WIDENEDRESULTS_H
