// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  lets one kernel compute several small results of a function that have the same shape.
// Why:   biases, statistics and counters that a training step updates at its end are a launch each, which costs a GPU more than the few
//        elements.

#ifndef NACRE_COMPILER_KERNELS_FUSION_SMALLRESULTS_H
#define NACRE_COMPILER_KERNELS_FUSION_SMALLRESULTS_H

#include "compiler/kernels/fusion/GroupTable.h"

namespace nacre::kernels {

/// Moves the members of groups of elementwise operators whose results are all small ones of the function, and are read by no node, to a
/// later group of the same kind: as many as one kernel has operands for.
void mergeSmallResults(GroupTable &table);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_SMALLRESULTS_H
