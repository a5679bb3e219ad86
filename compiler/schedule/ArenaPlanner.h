// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs buffer lifetimes into one arena. It uses no IR, so that unit tests can call it. PlanArena.cpp is its only
// caller in the compiler.

#ifndef NACRE_COMPILER_SCHEDULE_ARENAPLANNER_H
#define NACRE_COMPILER_SCHEDULE_ARENAPLANNER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::schedule {

/// Size and lifetime of a buffer. Steps are positions in the schedule; the buffer is live on the closed interval
/// [firstStep, lastStep].
struct BufferDemand {
  int64_t sizeInBytes = 0;
  unsigned firstStep = 0;
  unsigned lastStep = 0;
};

/// Offset of each buffer, in the order of the demands, and the size of the arena.
struct ArenaPlan {
  llvm::SmallVector<int64_t> offsetsInBytes;
  int64_t sizeInBytes = 0;
};

/// Gives every demand an offset that is a multiple of `alignment` (a power of two). Demands alive at one step never
/// overlap.
/// Tries three orders: largest first, by the steps where most bytes are alive, and by first use. Each is tried with and
/// without a ceiling, and puts a buffer into the tightest gap that fits (Pisarchyk and Lee, "Efficient memory
/// management for deep neural net inference", 2020). Improves the orders if much space is left, and keeps the smallest
/// arena. The result is deterministic but not optimal (the problem is NP-hard).
/// Takes about O(n * demands alive together * log n). If millions of pairs are alive together, places them as a heap
/// would, in O(n * log n) (HeapPlan.h).
ArenaPlan planArena(llvm::ArrayRef<BufferDemand> demands, int64_t alignment);

/// Returns the largest sum of bytes alive at one step. No arena can be smaller.
int64_t peakBytes(llvm::ArrayRef<BufferDemand> demands);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_ARENAPLANNER_H
