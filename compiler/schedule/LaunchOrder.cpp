// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How: 1. lives; 2. how far a step may move, and what that costs or gains in bytes times steps; 3. the turns.

#include "compiler/schedule/LaunchOrder.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>
#include <optional>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace nacre::schedule {
namespace {

/// Beyond so many steps, whose pairs are looked at, they stay as they are.
constexpr size_t kMostSteps = 4096;
constexpr unsigned kMostTurns = 8;

struct Use {
  unsigned step;
  bool writes;
};

class Order {
public:
  Order(ArrayRef<TouchingStep> steps, ArrayRef<int64_t> bytes) : steps(steps), bytes(bytes), uses(bytes.size()) {
    order.resize(steps.size());
    std::iota(order.begin(), order.end(), 0);
    place = order;
    touched.resize(steps.size());
    for (unsigned step : order)
      for (bool writes : {false, true})
        for (unsigned storage : writes ? steps[step].writes : steps[step].reads) {
          uses[storage].push_back({step, writes});
          if (!llvm::is_contained(touched[step], storage))
            touched[step].push_back(storage);
        }
  }

  /// Each step once, if it gains: `early` from the first on, else from the last.
  bool turn(bool early) {
    bool moved = false;
    const std::vector<unsigned> all = order;
    for (size_t i = 0; i < all.size(); ++i) {
      const unsigned step = all[early ? i : all.size() - 1 - i];
      const unsigned to = early ? earliest(step) : latest(step);
      if (to == place[step] || gainOf(step, to) <= 0)
        continue;
      move(step, to);
      moved = true;
    }
    return moved;
  }

  std::vector<unsigned> order; ///< Steps.

private:
  /// Behind all that must come before.
  unsigned earliest(unsigned step) const {
    unsigned first = 0;
    forConflicts(step, [&](unsigned other) {
      if (place[other] < place[step])
        first = std::max(first, place[other] + 1);
    });
    return first;
  }

  unsigned latest(unsigned step) const {
    unsigned last = order.size() - 1;
    forConflicts(step, [&](unsigned other) {
      if (place[other] > place[step])
        last = std::min(last, place[other] - 1);
    });
    return last;
  }

  /// Conflicting steps keep their order, so it is always that of the places.
  void forConflicts(unsigned step, llvm::function_ref<void(unsigned)> visit) const {
    for (bool writes : {false, true})
      for (unsigned storage : writes ? steps[step].writes : steps[step].reads)
        for (const Use &use : uses[storage])
          if (use.step != step && (writes || use.writes))
            visit(use.step);
  }

  /// Bytes times steps that are alive less where `step` is at `to`.
  int64_t gainOf(unsigned step, unsigned to) const {
    int64_t gain = 0;
    for (unsigned storage : touched[step]) {
      if (bytes[storage] == 0)
        continue;
      int64_t low = order.size(), high = -1; // of the others
      for (const Use &use : uses[storage])
        if (use.step != step) {
          // Those between move up by one.
          int64_t at = place[use.step];
          low = std::min(low, at);
          high = std::max(high, at);
        }
      if (high < 0)
        continue;
      auto length = [&](int64_t at) { return std::max(high, at) - std::min(low, at); };
      gain += bytes[storage] * (length(place[step]) - length(to));
    }
    return gain;
  }

  void move(unsigned step, unsigned to) {
    const unsigned from = place[step];
    auto begin = order.begin();
    if (to < from)
      std::rotate(begin + to, begin + from, begin + from + 1);
    else
      std::rotate(begin + from, begin + from + 1, begin + to + 1);
    for (unsigned at = std::min(from, to); at <= std::max(from, to); ++at)
      place[order[at]] = at;
  }

  ArrayRef<TouchingStep> steps;
  ArrayRef<int64_t> bytes;
  std::vector<SmallVector<Use, 4>> uses;         ///< Per storage.
  std::vector<SmallVector<unsigned, 4>> touched; ///< Per step, storages once.
  std::vector<unsigned> place;                   ///< Per step.
};

} // namespace

int64_t peakOf(ArrayRef<TouchingStep> steps, ArrayRef<int64_t> bytes, ArrayRef<unsigned> order) {
  std::vector<int64_t> change(order.size() + 1, 0);
  std::vector<std::optional<unsigned>> first(bytes.size());
  std::vector<unsigned> last(bytes.size(), 0);
  for (auto [at, step] : llvm::enumerate(order))
    for (const auto *storages : {&steps[step].reads, &steps[step].writes})
      for (unsigned storage : *storages) {
        if (!first[storage])
          first[storage] = at;
        last[storage] = at;
      }
  for (auto [storage, size] : llvm::enumerate(bytes))
    if (first[storage]) {
      change[*first[storage]] += size;
      change[last[storage] + 1] -= size;
    }
  int64_t alive = 0, peak = 0;
  for (int64_t by : change)
    peak = std::max(peak, alive += by);
  return peak;
}

std::vector<unsigned> orderSteps(ArrayRef<TouchingStep> steps, ArrayRef<int64_t> bytes) {
  Order order(steps, bytes);
  const std::vector<unsigned> asIs = order.order;
  if (steps.size() > kMostSteps)
    return asIs;
  for (unsigned turn = 0; turn < kMostTurns; ++turn) {
    const bool earlier = order.turn(/*early=*/true), later = order.turn(/*early=*/false);
    if (!earlier && !later)
      break;
  }
  const int64_t before = peakOf(steps, bytes, asIs), after = peakOf(steps, bytes, order.order);
  return after <= before - before / 16 && after < before ? order.order : asIs;
}

} // namespace nacre::schedule
