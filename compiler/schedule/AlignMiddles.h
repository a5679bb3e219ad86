// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the buffers of an arena so that buffers that use the same bytes one after another have the same middle.
// Why: threads take equal ranges of rows, so the first of two threads takes the first half. If the second half of a
//      buffer overlaps the first half of an earlier one, each thread writes cache lines that another core owns, and
//      waits for them.
// How: it places the largest buffers first, like the planner. Each buffer is placed so that its middle is nearest to
//      the middle of a larger buffer.

#ifndef NACRE_COMPILER_SCHEDULE_ALIGNMIDDLES_H
#define NACRE_COMPILER_SCHEDULE_ALIGNMIDDLES_H

#include "compiler/schedule/ArenaPlanner.h"

namespace nacre::schedule {

/// Returns an aligned plan for `demands`. Returns `plan`, their smallest plan, if an aligned one would need more bytes.
ArenaPlan alignMiddles(llvm::ArrayRef<BufferDemand> demands, const ArenaPlan &plan, int64_t alignment);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_ALIGNMIDDLES_H
