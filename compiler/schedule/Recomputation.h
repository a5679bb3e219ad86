// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses launches to repeat instead of keeping their results, until a program needs at most a given number of bytes.
// Why: a training step keeps values of each layer for the backward pass. Many of them are cheap to recompute: maps,
//      normalizations, poolings, operands in panels.
// How: 1. find the values that are alive, but not touched, at the step with the most live bytes;
//      2. for each, find the launches that recompute it before its next use. If their own operands are no longer alive,
//         recompute these, too. If a loop reads a value from before the loop, move the launch into each iteration
//         instead;
//      3. apply the change that costs the least time per byte saved at that step, and repeat until the program fits.
//         This is the greedy method of Checkmate (Jain et al. 2020).
//
// Uses no IR, for tests.

#ifndef NACRE_COMPILER_SCHEDULE_RECOMPUTATION_H
#define NACRE_COMPILER_SCHEDULE_RECOMPUTATION_H

#include "compiler/schedule/ProgramProfile.h"

#include <optional>
#include <utility>

namespace nacre::schedule {

/// Change of a program: launches that are repeated or moved. New steps and storages get the indices after the existing
/// ones.
struct Recomputation {
  struct Launch {
    unsigned step; ///< Step that is copied.
    /// Pairs (original, replacement) of storages. The copy touches the replacements.
    llvm::SmallVector<std::pair<unsigned, unsigned>, 4> storages;
  };
  llvm::SmallVector<Launch, 2> launches; ///< Launches in their new order.
  unsigned before = 0;                   ///< Step before which the launches are inserted.
  bool moves = false;                    ///< True if the only launch is moved to this step instead of copied.
  /// Existing storages whose types the new storages have, in the order of the new storages.
  llvm::SmallVector<unsigned, 4> added;
  /// Storage `kept`, and the new storage `again` that replaces it from step `before` to the end of its list of steps.
  unsigned kept = 0, again = 0;
  double nanoseconds = 0; ///< Time that the change adds to a run.
};

struct RecomputationPlan {
  std::vector<Recomputation> changes; ///< Changes to apply one after another.
  int64_t arenaBytes = 0;             ///< Size of the arena in bytes after all changes.
};

/// Applies a change to the program.
void apply(PricedProgram &program, const Recomputation &change);

/// Returns the change that costs the least time per byte saved at the peak; `nullopt` if no change lowers the peak.
std::optional<Recomputation> findRecomputation(const PricedProgram &program);

/// Returns changes after which the arena has at most `mostBytes`. If that is impossible, returns those with the
/// smallest arena that was found.
RecomputationPlan planRecomputation(PricedProgram program, int64_t mostBytes, int64_t alignment);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_RECOMPUTATION_H
