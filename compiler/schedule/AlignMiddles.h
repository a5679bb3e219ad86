// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the buffers of an arena: buffers that use the same bytes one after another get the same middle.
// Why: threads take equal ranges of rows, so the first of two threads takes the first half. If the second half of a
//      buffer lies on the first half of an earlier one, each thread writes cache lines that another core owns, and
//      waits for them.
// How: places the largest buffers first, as the planner does. Each buffer goes where its middle is nearest to that of a
//      larger one.

#ifndef NACRE_COMPILER_SCHEDULE_ALIGNMIDDLES_H
#define NACRE_COMPILER_SCHEDULE_ALIGNMIDDLES_H

#include "compiler/schedule/ArenaPlanner.h"

namespace nacre::schedule {

/// Returns an aligned plan for `demands`, or `plan`, their smallest plan, if alignment would need more bytes.
ArenaPlan alignMiddles(llvm::ArrayRef<BufferDemand> demands, const ArenaPlan &plan, int64_t alignment);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_ALIGNMIDDLES_H
