// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which launches run once more, so that what they give need not be kept, until a program fits into so many bytes.
// Why:   a step of training keeps of each layer what its way back reads. Of that much is had again in little time: maps,
//        normalizations, poolings, operands in panels.
// How:   1. where most is alive, and what is alive there that nothing touches there;
//        2. of each of these, the launches that make it again before it is next read, and what they read of their own, where that
//           is gone by then, likewise; or, of what a loop reads that was made before it, the launch in each iteration;
//        3. the one that takes the least time for each byte that is alive less there, until all fits (the greedy way of
//           Checkmate, Jain et al. 2020). Free of IR, for tests.

#ifndef NACRE_COMPILER_SCHEDULE_RECOMPUTATION_H
#define NACRE_COMPILER_SCHEDULE_RECOMPUTATION_H

#include "compiler/schedule/ProgramProfile.h"

#include <optional>
#include <utility>

namespace nacre::schedule {

/// Launches that run once more, or elsewhere. Steps and storages that are new have the numbers behind those that there are.
struct Recomputation {
  struct Launch {
    unsigned step; ///< That is copied.
    /// What the copy touches in place of what the step does: from, to.
    llvm::SmallVector<std::pair<unsigned, unsigned>, 4> storages;
  };
  llvm::SmallVector<Launch, 2> launches; ///< In order,
  unsigned before = 0;                   ///< in front of this step.
  bool moves = false;                    ///< The one launch is moved there, nothing is copied.
  /// Of each new storage the one that it is like.
  llvm::SmallVector<unsigned, 4> added;
  /// From that step on, as far as its list of steps goes, the second stands for the first.
  unsigned kept = 0, again = 0;
  double nanoseconds = 0; ///< Of a run, beside what it takes anyway.
};

struct RecomputationPlan {
  std::vector<Recomputation> changes; ///< One after the other.
  int64_t arenaBytes = 0;             ///< Of an arena behind all of them.
};

/// The program behind a change.
void apply(PricedProgram &program, const Recomputation &change);

/// The change that takes the least time for each byte which is alive less where most is; none if there is no such change.
std::optional<Recomputation> findRecomputation(const PricedProgram &program);

/// Changes after which an arena has `mostBytes` at most; where that cannot be, those with the smallest arena that was found.
RecomputationPlan planRecomputation(PricedProgram program, int64_t mostBytes, int64_t alignment);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_RECOMPUTATION_H
