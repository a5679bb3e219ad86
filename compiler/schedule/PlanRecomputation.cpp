// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies one change after another, until an arena for the program fits (Recomputation.h).

#include "compiler/schedule/ArenaPlanner.h"
#include "compiler/schedule/Recomputation.h"

#include <limits>

using llvm::SmallVector;

namespace nacre::schedule {

/// Returns the sizes and lifetimes of the program's temporaries.
static SmallVector<BufferDemand> demandsOf(const PricedProgram &program) {
  SmallVector<BufferDemand> demands;
  for (auto [life, bytes] : llvm::zip_equal(readLives(program.steps, program.bytes.size()), program.bytes))
    if (bytes > 0 && life.first <= life.last)
      demands.push_back({bytes, life.first, life.last});
  return demands;
}

namespace {

/// Smallest arena so far, and the number of changes after which it was found.
///
/// Planning an arena takes most of the time of a search. No arena is smaller than the peak of live bytes. So arenas are
/// planned only for programs whose peak allows an arena that is needed.
class SmallestArena {
public:
  SmallestArena(int64_t mostBytes, int64_t alignment) : mostBytes(mostBytes), alignment(alignment) {}

  /// True if the arena of the program has at most `mostBytes` after the first `changes` changes, or after fewer.
  bool fits(const PricedProgram &program, size_t changes) {
    Program one{demandsOf(program), 0, changes};
    one.peakBytes = peakBytes(one.demands);
    if (one.peakBytes > mostBytes)
      tooLarge.push_back(std::move(one));
    else
      plan(one);
    return bytes <= mostBytes;
  }

  /// Plans arenas of the programs that cannot fit, if they could be smaller than the smallest one so far.
  void planTooLarge() {
    llvm::stable_sort(tooLarge, [](const Program &a, const Program &b) { return a.peakBytes < b.peakBytes; });
    for (const Program &one : tooLarge)
      plan(one);
  }

  int64_t bytes = std::numeric_limits<int64_t>::max();
  size_t changes = 0;

private:
  struct Program {
    SmallVector<BufferDemand> demands;
    int64_t peakBytes;
    size_t changes;
  };

  void plan(const Program &one) {
    if (one.peakBytes > bytes)
      return;
    const int64_t planned = planArena(one.demands, alignment).sizeInBytes;
    if (std::make_pair(planned, one.changes) < std::make_pair(bytes, changes)) {
      bytes = planned;
      changes = one.changes;
    }
  }

  const int64_t mostBytes, alignment;
  std::vector<Program> tooLarge;
};

} // namespace

RecomputationPlan planRecomputation(PricedProgram program, int64_t mostBytes, int64_t alignment) {
  // Each change lowers the peak, so the loop ends. Real networks stay well below this bound.
  constexpr size_t kMostChanges = 1000;
  RecomputationPlan plan;
  SmallestArena smallest(mostBytes, alignment);
  bool fits = smallest.fits(program, 0);
  while (!fits && plan.changes.size() < kMostChanges) {
    std::optional<Recomputation> change = findRecomputation(program);
    if (!change)
      break;
    apply(program, *change);
    plan.changes.push_back(std::move(*change));
    fits = smallest.fits(program, plan.changes.size());
  }
  if (!fits)
    smallest.planTooLarge();
  plan.arenaBytes = smallest.bytes;
  plan.changes.resize(smallest.changes);
  return plan;
}

} // namespace nacre::schedule
