// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which part of a step of training a launch is of.
// Why:   how long forward, backward and update take, and what each keeps in memory, is what one asks of a step first.
// How:   by the names of its nodes: the train phase calls what it writes after the node that it is for (docs/phases/train.md). nacre-run
//        --profile goes by the same names.

#ifndef NACRE_COMPILER_STEPPARTS_H
#define NACRE_COMPILER_STEPPARTS_H

#include "llvm/ADT/StringRef.h"

namespace nacre {

enum class StepPart { Forward, Backward, Update };

/// Of a launch of these nodes, joined by commas. What makes a gradient and updates in one launch is backward; what is of no node is a
/// copy into a state.
StepPart partOf(llvm::StringRef nodes);
/// `forward`, `backward` or `update`.
llvm::StringRef partWord(StepPart part);

/// Whether one of the nodes computes the gradient of a weight.
bool makesWeightGradient(llvm::StringRef nodes);

} // namespace nacre

#endif // NACRE_COMPILER_STEPPARTS_H
