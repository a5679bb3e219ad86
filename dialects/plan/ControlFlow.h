// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which steps of an entry a run decides about, and how often a launch is executed.
// Why:   placement, the schedule's verifier and the report must agree on it.
// How:   read off the operations around a launch; where data decide, it is a guess.

#ifndef NACRE_DIALECTS_PLAN_CONTROLFLOW_H
#define NACRE_DIALECTS_PLAN_CONTROLFLOW_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::plan {

/// Whether a run decides how often the launches inside this operation of an entry are executed: a conditional, a loop
/// with a count or a test, or a loop around one. The CPU has all of it.
bool isDecidedByRun(mlir::Operation *step);

/// The same of what is around a launch, outermost.
bool isInDecision(LaunchOp launch);

/// How often what is inside a loop or a conditional is expected to be executed for once that it is reached: loops have all turns
/// that they may have, up to a thousand where a run decides, and a guess where they have no bound; each branch is taken every
/// other time.
double expectTurns(mlir::Operation *step);

/// The same of a launch, for a run.
double countExecutions(LaunchOp launch);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_CONTROLFLOW_H
