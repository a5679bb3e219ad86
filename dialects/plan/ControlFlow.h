// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the steps of an entry whose execution is decided at run time, and the expected executions of a launch.
// Why:   placement, the schedule's verifier and the report must agree on them.
// How:   read from the operations around a launch; data-dependent counts are estimates.

#ifndef NACRE_DIALECTS_PLAN_CONTROLFLOW_H
#define NACRE_DIALECTS_PLAN_CONTROLFLOW_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::plan {

/// The assumed number of iterations of a loop that only its test ends. It is large enough that its launches outweigh
/// those outside, and small enough that packing something once for all iterations must pay soon.
inline constexpr int64_t kUnknownIterations = 16;

/// True if it is decided at run time how often the launches in this operation of an entry are executed. That holds for
/// a conditional, for a loop with a count or a test, and for a loop around one. The CPU computes all of it.
bool isDecidedByRun(mlir::Operation *step);

/// The same for the outermost operation around a launch.
bool isInDecision(LaunchOp launch);

/// True if this operation of an entry is, or contains, a loop that may never end: one without a bound, or with a very
/// large bound. The runtime can cancel a run in it as long as the state is unchanged, so no launch before it writes the
/// state.
bool mayBeEndless(mlir::Operation *step);

/// True if the launch writes the state, which the model keeps from run to run.
bool writesState(LaunchOp launch);

/// Returns the expected executions of the body of a loop or conditional, each time that it is reached. A loop counts
/// all its possible iterations, but at most a thousand if that is decided at run time, and kUnknownIterations without a
/// bound. A branch counts one half.
double expectIterations(mlir::Operation *step);

/// Returns the expected executions of a launch in a run.
double countExecutions(LaunchOp launch);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_CONTROLFLOW_H
