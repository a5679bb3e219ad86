// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which steps of an entry a run decides about, and how often a launch is executed.
// Why:   placement, the schedule's verifier and the report must agree on it.
// How:   read off the operations around a launch; where data decide, it is a guess.

#ifndef NACRE_DIALECTS_PLAN_CONTROLFLOW_H
#define NACRE_DIALECTS_PLAN_CONTROLFLOW_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::plan {

/// The assumed number of iterations of a loop that only its test ends: so many that what it computes weighs more than what is computed
/// once, and so few that packing something once for all of them must pay soon.
inline constexpr int64_t kUnknownIterations = 16;

/// Whether a run decides how often the launches inside this operation of an entry are executed: a conditional, a loop
/// with a count or a test, or a loop around one. The CPU has all of it.
bool isDecidedByRun(mlir::Operation *step);

/// The same of what is around a launch, outermost.
bool isInDecision(LaunchOp launch);

/// Whether this operation of an entry is a loop that may never end, or has one inside: a loop without a bound, or with one
/// that no run should wait for. The runtime can end a run in it as long as the state is as it was, so no launch before it
/// writes the state.
bool mayBeEndless(mlir::Operation *step);

/// Whether the launch writes what the model keeps from run to run.
bool writesState(LaunchOp launch);

/// How often what is inside a loop or a conditional is expected to be executed for once that it is reached: loops have all iterations
/// that they may have, up to a thousand where a run decides, and a guess where they have no bound; each branch is taken every
/// other time.
double expectIterations(mlir::Operation *step);

/// The same of a launch, for a run.
double countExecutions(LaunchOp launch);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_CONTROLFLOW_H
