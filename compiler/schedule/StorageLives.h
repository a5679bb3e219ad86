// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the lifetime of each storage in a program of launches, loops and conditionals.
// Why: two storages may share bytes if no step needs both. This must also hold when a loop starts its next iteration or
//      a branch is not taken. Uses no IR, so that it can be tested against brute force.
// How: it numbers the steps in program order, bodies included. A storage lives from the first to the last position that
//      touches it. It lives for a whole loop if an iteration may read a value from before the iteration, or if steps
//      outside of the loop touch it. Loops are the only jumps back, because jumps over a branch only skip positions.
//      The branches of a conditional have different positions, so storages of one branch may share bytes with storages
//      of the other.

#ifndef NACRE_COMPILER_SCHEDULE_STORAGELIVES_H
#define NACRE_COMPILER_SCHEDULE_STORAGELIVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace nacre::schedule {

/// Range of bytes of a storage that a step reads or writes.
struct Touch {
  unsigned storage = 0;
  int64_t begin = 0, end = 0;
  bool writes = false;
  /// True if each iteration of the loop around the step touches different bytes. All of them are between `begin` and
  /// `end`.
  bool moves = false;
};

enum class StepKind {
  Launch, ///< Launch or condition. It has no inner steps.
  Loop,   ///< Loop. Each iteration runs `first` and then, if the loop continues, `second`.
  If      ///< Conditional. It runs `first` or `second`.
};

struct Step {
  StepKind kind = StepKind::Launch;
  /// All accesses of a launch. For a loop or conditional, the reads before its first inner step.
  llvm::SmallVector<Touch> touches;
  std::vector<Step> first, second;
  bool mayHaveNoIteration = false; ///< True for a loop that may end before it runs `first` even once.
  unsigned id = 0;                 ///< Identifier that the caller chooses.
};

/// Closed interval of positions at which a storage keeps its bytes. It is empty if `first > last`.
struct Life {
  unsigned first = 1, last = 0;
};

/// Returns the lives of the storages with the indices 0 to `storages - 1`.
std::vector<Life> readLives(llvm::ArrayRef<Step> program, unsigned storages);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_STORAGELIVES_H
