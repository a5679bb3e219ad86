// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets one kernel compute several small results of a function that have the same shape. A training step updates biases,
// statistics and counters at its end. A launch for each of them would cost a GPU more than their few elements.

#ifndef NACRE_COMPILER_KERNELS_FUSION_SMALLRESULTS_H
#define NACRE_COMPILER_KERNELS_FUSION_SMALLRESULTS_H

#include "compiler/kernels/fusion/GroupTable.h"

namespace nacre::kernels {

/// Joins groups of elementwise operators whose only results are small results of the function that no node reads. An
/// earlier group joins a later one of the same shape and engine, within the limit of operands of a kernel.
void mergeSmallResults(GroupTable &table);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_SMALLRESULTS_H
