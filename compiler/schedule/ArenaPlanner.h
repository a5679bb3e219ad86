// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs buffer lifetimes into one arena.
//
// The arithmetic of memory planning, free of IR so that it can be unit tested and replaced alone. PlanArena.cpp is its
// only caller in the compiler.

#ifndef NACRE_COMPILER_SCHEDULE_ARENAPLANNER_H
#define NACRE_COMPILER_SCHEDULE_ARENAPLANNER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::schedule {

/// What one buffer asks of the arena. Steps are positions in the schedule; the buffer is live on the closed interval
/// [firstStep, lastStep].
struct BufferDemand {
  int64_t sizeInBytes = 0;
  unsigned firstStep = 0;
  unsigned lastStep = 0;
};

/// Where each buffer lives, in the order of the demands.
struct ArenaPlan {
  llvm::SmallVector<int64_t> offsetsInBytes;
  int64_t sizeInBytes = 0;
};

/// Gives every demand an offset that is a multiple of `alignment` (a power of two), such that demands alive at one step
/// never overlap. Tries three orders (largest first; by the steps where most bytes are alive; by first use), each with
/// and without a ceiling, into the tightest gap that fits (Pisarchyk and Lee, "Efficient memory management for deep neural
/// net inference", 2020), betters these orders where that leaves much, and keeps the smallest arena. Not optimal (the problem is NP-hard) but deterministic.
/// About O(n * demands alive together * log n), and O(n * log n) where millions of pairs are alive together: those are placed as by a heap
/// (HeapPlan.h).
ArenaPlan planArena(llvm::ArrayRef<BufferDemand> demands, int64_t alignment);

/// The largest sum of bytes alive at one step: no arena can be smaller.
int64_t peakBytes(llvm::ArrayRef<BufferDemand> demands);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_ARENAPLANNER_H
