// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reorders steps so that fewer bytes are alive at the same time.
// Why: a training step has its launches in the order of their derivation. A tensor that is read late stays alive for
//      all steps in between.
// How: moves each step to the place where its operands live shortest, as early as possible and then as late as
//      possible. It moves by itself or with the steps that read its results, in sweeps until nothing moves. Two steps
//      keep their order if they touch one storage and one of them writes it. Uses no IR, for tests.

#ifndef NACRE_COMPILER_SCHEDULE_LAUNCHORDER_H
#define NACRE_COMPILER_SCHEDULE_LAUNCHORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace nacre::schedule {

/// Storages that a step touches, as numbers in any order.
struct TouchingStep {
  llvm::SmallVector<unsigned> reads, writes;
  /// True if no other step needs its results: it only writes state or outputs.
  bool isEnd = false;
  /// True if it needs no results of other steps: it only reads inputs, weights and state.
  bool isBegin = false;
};

/// Returns the most bytes that steps in `order` need at the same time. `bytes` has the size of each storage; 0 for
/// those outside of the arena.
int64_t peakOf(llvm::ArrayRef<TouchingStep> steps, llvm::ArrayRef<int64_t> bytes, llvm::ArrayRef<unsigned> order);

/// Returns the numbers of `steps` in an order whose peak is smaller by at least a sixteenth; otherwise in their
/// original order. With `isShort`, also accepts an equal peak if the sum of all lifetimes is shorter.
std::vector<unsigned> orderSteps(llvm::ArrayRef<TouchingStep> steps, llvm::ArrayRef<int64_t> bytes,
                                 bool isShort = false);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_LAUNCHORDER_H
