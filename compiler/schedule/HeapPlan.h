// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs any number of buffers with known lifetimes into one arena, in the time that sorting them takes.
//
// Places buffers in the order of their first steps, like a heap allocator.
// Why: ArenaPlanner.h compares each buffer with all buffers that are alive at the same time. For many thousands of
//      buffers, these are too many pairs.
// How: it keeps the free bytes sorted by offset and by size, so that buffers are not compared with one another.

#ifndef NACRE_COMPILER_SCHEDULE_HEAPPLAN_H
#define NACRE_COMPILER_SCHEDULE_HEAPPLAN_H

#include "compiler/schedule/ArenaPlanner.h"

namespace nacre::schedule {

/// Gives every demand an offset that is a multiple of `alignment`. `byUse` are the indices of the demands in the order
/// of their first steps.
ArenaPlan planAsHeap(llvm::ArrayRef<BufferDemand> demands, llvm::ArrayRef<unsigned> byUse, int64_t alignment);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_HEAPPLAN_H
