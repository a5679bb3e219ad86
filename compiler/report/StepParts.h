// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns each launch to a part of a training step.
// Why: reports show the time and memory of forward pass, backward pass and update.
// How: the names of nodes decide. The train phase names its operators after the nodes to which they belong
//      (docs/phases/train.md). nacre-run --profile uses the same names.

#ifndef NACRE_COMPILER_REPORT_STEPPARTS_H
#define NACRE_COMPILER_REPORT_STEPPARTS_H

#include "llvm/ADT/StringRef.h"

namespace nacre {

enum class StepPart { Forward, Backward, Update };

/// Returns the part of a launch that computes `nodes`, names joined by commas. A launch that computes a gradient and an
/// update is backward. A launch without nodes copies into a state.
StepPart partOf(llvm::StringRef nodes);
/// Returns the name of the part: `forward`, `backward` or `update`.
llvm::StringRef partWord(StepPart part);

/// True if one of the nodes in `nodes` computes the gradient of a weight.
bool makesWeightGradient(llvm::StringRef nodes);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_STEPPARTS_H
