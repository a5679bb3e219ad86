// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the kernel of a product normalize the rows that it reads. A separate launch would cost a GPU more.

#ifndef NACRE_COMPILER_KERNELS_FUSION_NORMALIZEDOPERANDS_H
#define NACRE_COMPILER_KERNELS_FUSION_NORMALIZEDOPERANDS_H

#include "compiler/kernels/fusion/GroupTable.h"

namespace nacre::kernels {

/// Moves each group of a normalization into the group of the first contraction that reads it as its prologue operand.
/// If the rows have later readers, the group also writes them.
void mergeNormalizations(GroupTable &table);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_NORMALIZEDOPERANDS_H
