// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reorders steps so that fewer bytes are alive at the same time.
// Why: a training step has its launches in the order of their derivation. A tensor that is read late stays alive for
//      all steps in between.
// How: it moves each step to the position where its operands live shortest, first as early as possible and then as late
//      as possible. A step moves by itself, or together with the steps that read its results. Sweeps repeat until
//      nothing moves. Two steps keep their order if they touch one storage and one of them writes it. Uses no IR, for
//      tests.

#ifndef NACRE_COMPILER_SCHEDULE_LAUNCHORDER_H
#define NACRE_COMPILER_SCHEDULE_LAUNCHORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace nacre::schedule {

/// Storages that a step touches, as indices. Their order does not matter.
struct TouchingStep {
  llvm::SmallVector<unsigned> reads, writes;
  /// True if no other step needs its results, because it only writes state or outputs.
  bool isEnd = false;
  /// True if it needs no results of other steps, because it only reads inputs, weights and state.
  bool isBegin = false;
};

/// Returns the largest number of bytes that are alive at the same time if `steps` run in `order`. `bytes` has the size
/// of each storage, or 0 for storages outside of the arena.
int64_t peakOf(llvm::ArrayRef<TouchingStep> steps, llvm::ArrayRef<int64_t> bytes, llvm::ArrayRef<unsigned> order);

/// Returns the indices of `steps` in an order whose peak is smaller by at least a sixteenth, or in their original
/// order. If `isShort`, also accepts an equal peak if the sum of all lifetimes is shorter.
std::vector<unsigned> orderSteps(llvm::ArrayRef<TouchingStep> steps, llvm::ArrayRef<int64_t> bytes,
                                 bool isShort = false);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_LAUNCHORDER_H
