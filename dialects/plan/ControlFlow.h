// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  finds the steps of an entry whose execution is decided at run time, and estimates how often a launch is
//        executed.
// Why:   placement, the schedule's verifier and the report must get the same answers.
// How:   both are read from the operations around a launch. Data-dependent counts are estimates.

#ifndef NACRE_DIALECTS_PLAN_CONTROLFLOW_H
#define NACRE_DIALECTS_PLAN_CONTROLFLOW_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::plan {

/// The assumed number of iterations of a loop that only its test ends. It is so large that the launches inside cost
/// more than those outside. It is so small that packing data once for all iterations must save time after few
/// iterations.
inline constexpr int64_t kUnknownIterations = 16;

/// True if the number of executions of the launches in `step` is decided at run time. `step` is then a conditional, a
/// loop with a count or a test, or a loop that contains one of these. The CPU computes all of such a step.
bool isDecidedByRun(mlir::Operation *step);

/// Like isDecidedByRun(), for the outermost operation around `launch`.
bool isInDecision(LaunchOp launch);

/// True if `step` is or contains a loop that may never end: one without a bound, or with a very large bound. The
/// runtime can cancel a run inside such a loop only while the state is unchanged. So no launch before it writes the
/// state.
bool mayBeEndless(mlir::Operation *step);

/// True if `launch` writes the state, which the model keeps from run to run.
bool writesState(LaunchOp launch);

/// Returns the expected number of executions of the body of a loop or conditional, each time that `step` is reached. A
/// loop counts all its possible iterations. If the run decides the number, the limit is a thousand iterations; without
/// a bound, the number is kUnknownIterations. A branch counts one half.
double expectIterations(mlir::Operation *step);

/// Returns the expected number of executions of `launch` in a run.
double countExecutions(LaunchOp launch);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_CONTROLFLOW_H
