// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  from when to when each storage of a program of launches, loops and conditionals must keep its bytes.
// Why:   two storages may share bytes if no step needs both; a loop that comes back to its beginning, and a branch that
//        is not taken, must not make that untrue. Free of IR, so that it can be tested against brute force.
// How:   steps are numbered in the order in which they stand, bodies included. A storage lives from the first to the
//        last number that touches it; if an iteration of a loop may read what was there before the iteration, or something outside
//        the loop touches it, then for all of the loop. That is the only way back that there is: jumps over a branch
//        leave numbers out, so a storage keeps what it has over them. Both branches of a conditional have numbers of
//        their own, and what is used in one alone may lie where the other has its own.

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
  /// They are others in each iteration of the loop around the step, somewhere between `begin` and `end`.
  bool moves = false;
};

enum class StepKind {
  Launch, ///< Or a condition: it only touches.
  Loop,   ///< `first` in each iteration, then, if the loop goes on, `second`.
  If      ///< `first` or `second`.
};

struct Step {
  StepKind kind = StepKind::Launch;
  llvm::SmallVector<Touch> touches; ///< Of loops and conditionals: what they read before all else.
  std::vector<Step> first, second;
  bool mayHaveNoIteration = false; ///< A loop of which not even `first` is certain to run.
  unsigned id = 0;                 ///< The caller's name for it.
};

/// The closed interval of numbers over which a storage keeps its bytes; none if `first > last`.
struct Life {
  unsigned first = 1, last = 0;
};

/// The lives of storages 0 ... `storages - 1`.
std::vector<Life> readLives(llvm::ArrayRef<Step> program, unsigned storages);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_STORAGELIVES_H
