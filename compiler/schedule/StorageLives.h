// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the lifetime of each storage in a program of launches, loops and conditionals.
// Why: two storages may share bytes if no step needs both. This must also hold when a loop starts its next iteration or
//      a branch is not taken. Uses no IR, so that it can be tested against brute force.
// How: numbers the steps in program order, bodies included. A storage lives from the first to the last number that
//      touches it. It lives for a whole loop if an iteration may read a value from before the iteration, or if steps
//      outside of the loop touch it. Loops are the only jumps back: jumps over a branch only skip numbers. The branches
//      of a conditional have different numbers, so storages of one branch may share bytes with those of the other.

#ifndef NACRE_COMPILER_SCHEDULE_STORAGELIVES_H
#define NACRE_COMPILER_SCHEDULE_STORAGELIVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace nacre::schedule {

/// Bytes of a storage that a step reads or writes.
struct Touch {
  unsigned storage = 0;
  int64_t begin = 0, end = 0;
  bool writes = false;
  /// True if each iteration of the loop around the step touches other bytes, all between `begin` and `end`.
  bool moves = false;
};

enum class StepKind {
  Launch, ///< Launch or condition: it has no steps inside.
  Loop,   ///< Loop: runs `first` in each iteration and, if the loop goes on, `second`.
  If      ///< Conditional: runs `first` or `second`.
};

struct Step {
  StepKind kind = StepKind::Launch;
  /// All accesses of a launch; reads of a loop or conditional before its first inner step.
  llvm::SmallVector<Touch> touches;
  std::vector<Step> first, second;
  bool mayHaveNoIteration = false; ///< True if it is a loop that may not even run `first`.
  unsigned id = 0;                 ///< Identifier that the caller chooses.
};

/// Closed interval of numbers over which a storage keeps its bytes; empty if `first > last`.
struct Life {
  unsigned first = 1, last = 0;
};

/// Returns the lives of storages 0 to `storages - 1`.
std::vector<Life> readLives(llvm::ArrayRef<Step> program, unsigned storages);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_STORAGELIVES_H
