// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs any number of buffer lifetimes into one arena, in the time that it takes to sort them.
//
// Places buffers in the order of their first steps, like a heap allocator.
// Why: ArenaPlanner.h compares each buffer with all that are alive at the same time. With many thousands of buffers
//      these are too many pairs.
// How: keeps the free bytes by offset and by size, so that buffers are not compared with one another.

#ifndef NACRE_COMPILER_SCHEDULE_HEAPPLAN_H
#define NACRE_COMPILER_SCHEDULE_HEAPPLAN_H

#include "compiler/schedule/ArenaPlanner.h"

namespace nacre::schedule {

/// Gives every demand an offset that is a multiple of `alignment`. `byUse` are the demands in the order of their first
/// steps.
ArenaPlan planAsHeap(llvm::ArrayRef<BufferDemand> demands, llvm::ArrayRef<unsigned> byUse, int64_t alignment);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_HEAPPLAN_H
