// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs buffers with known lifetimes into one arena. It uses no IR, so that unit tests can call it. Only PlanArena.cpp
// and PlanRecomputation.cpp call it in the compiler.

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

/// Gives every demand an offset that is a multiple of `alignment` (a power of two). Demands that are alive at the same
/// step never overlap.
/// Tries three orders: largest first, by the steps with the most live bytes, and by first use. Each order is tried with
/// and without a ceiling, and a buffer is put into the tightest gap that fits (Pisarchyk and Lee, "Efficient memory
/// management for deep neural net inference", 2020). If much space is wasted, improves the orders. Keeps the smallest
/// arena. The result is deterministic but not optimal (the problem is NP-hard).
/// Takes about O(n * demands alive together * log n). If millions of pairs of demands are alive together, uses
/// planAsHeap() in O(n * log n) instead (HeapPlan.h).
ArenaPlan planArena(llvm::ArrayRef<BufferDemand> demands, int64_t alignment);

/// Returns the largest number of bytes that are alive at one step. No arena can be smaller.
int64_t peakBytes(llvm::ArrayRef<BufferDemand> demands);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_ARENAPLANNER_H
