// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  an order of steps in which less is alive at once.
// Why:   a step of training is written the way it is derived: what is asked of a tensor late keeps it through all that lies between.
// How:   each step is put where what it touches lives shortest, as early as possible and then as late as possible, alone or with those
//        that read what it makes, in sweeps until nothing moves. Steps that touch one storage, one of them writing, keep their order.
//        Free of IR, for tests.

#ifndef NACRE_COMPILER_SCHEDULE_LAUNCHORDER_H
#define NACRE_COMPILER_SCHEDULE_LAUNCHORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace nacre::schedule {

/// What a step touches, numbers of storages in any order.
struct TouchingStep {
  llvm::SmallVector<unsigned> reads, writes;
  /// Whether it makes nothing for other steps: it writes state or outputs alone.
  bool isEnd = false;
  /// Whether it reads nothing that other steps make: inputs, weights and state alone.
  bool isBegin = false;
};

/// The most bytes that steps in `order` need at once. `bytes` of each storage, 0 of those that have memory of their own.
int64_t peakOf(llvm::ArrayRef<TouchingStep> steps, llvm::ArrayRef<int64_t> bytes, llvm::ArrayRef<unsigned> order);

/// The numbers of `steps` in their new order: one with a peak that is smaller by a sixteenth at least, or as they are. With `isShort`
/// also one with the same peak, in which all else lives shorter.
std::vector<unsigned> orderSteps(llvm::ArrayRef<TouchingStep> steps, llvm::ArrayRef<int64_t> bytes,
                                 bool isShort = false);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_LAUNCHORDER_H
