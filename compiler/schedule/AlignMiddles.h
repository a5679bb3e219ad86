// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  another plan of the same arena, in which buffers that follow one another on the same bytes have one middle.
// Why:   threads take equal stretches of rows, the first of two the first half. Where the second half of one buffer lies on the
//        first of a former one, each thread writes lines that another core's cache owns, and waits for each of them.
// How:   largest first, as the planner does; each buffer goes where its middle is nearest to that of a larger one.

#ifndef NACRE_COMPILER_SCHEDULE_ALIGNMIDDLES_H
#define NACRE_COMPILER_SCHEDULE_ALIGNMIDDLES_H

#include "compiler/schedule/ArenaPlanner.h"

namespace nacre::schedule {

/// `plan` is of `demands`, and is the answer where aligned middles would take more bytes than it.
ArenaPlan alignMiddles(llvm::ArrayRef<BufferDemand> demands, const ArenaPlan &plan, int64_t alignment);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_ALIGNMIDDLES_H
