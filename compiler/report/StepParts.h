// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns each launch to a part of a training step.
// Why: reports show the time and memory of forward pass, backward pass and update.
// How: names of nodes decide: the train phase names its operators after the nodes that they belong to
//      (docs/phases/train.md). nacre-run --profile uses the same names.

#ifndef NACRE_COMPILER_REPORT_STEPPARTS_H
#define NACRE_COMPILER_REPORT_STEPPARTS_H

#include "llvm/ADT/StringRef.h"

namespace nacre {

enum class StepPart { Forward, Backward, Update };

/// Returns the part of a launch with these nodes, joined by commas. A launch that computes a gradient and updates is
/// backward; a launch without nodes copies into a state.
StepPart partOf(llvm::StringRef nodes);
/// Returns `forward`, `backward` or `update`.
llvm::StringRef partWord(StepPart part);

/// True if one of the nodes computes the gradient of a weight.
bool makesWeightGradient(llvm::StringRef nodes);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_STEPPARTS_H
