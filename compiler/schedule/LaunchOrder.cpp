// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps: 1. lives; 2. how far a step may move, and by how much this shortens lives; 3. the sweeps.

#include "compiler/schedule/LaunchOrder.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>
#include <optional>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace nacre::schedule {
namespace {

/// Largest number of steps that are reordered. More steps have too many pairs to compare.
constexpr size_t kMostSteps = 4096;
constexpr unsigned kMostSweeps = 8;
/// Largest number of steps that move together. A filter's gradient may read panels that are larger than their source,
/// so moving only one of the two launches saves no memory.
constexpr unsigned kMostTogether = 3;

struct Use {
  unsigned step;
  bool writes;
};

class Order {
public:
  Order(ArrayRef<TouchingStep> steps, ArrayRef<int64_t> bytes, unsigned mostTogether)
      : steps(steps), bytes(bytes), mostTogether(mostTogether), uses(bytes.size()) {
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

  /// Moves each step once if this shortens lives, together with the following steps that read its results. Begins with
  /// the first step if `early`, otherwise with the last one.
  bool sweep(bool early) {
    bool moved = false;
    const std::vector<unsigned> all = order;
    for (size_t i = 0; i < all.size(); ++i) {
      const unsigned first = place[all[early ? i : all.size() - 1 - i]];
      for (unsigned count = 1; count <= mostTogether && isChain(first, count); ++count) {
        const unsigned to = early ? earliest(first, count) : latest(first, count);
        // Towards the front, moves without effect on lives are made, too. If two steps read a value late, its memory is
        // freed earlier only after both have moved.
        if (to == first || gainOf(first, count, to) < (early ? 0 : 1))
          continue;
        move(first, count, to);
        moved = true;
        break;
      }
    }
    return moved;
  }

  /// Returns the sum over all storages of their size times the number of steps at which they are alive.
  int64_t getLength() const {
    int64_t sum = 0;
    for (auto [storage, size] : llvm::enumerate(bytes))
      if (!uses[storage].empty())
        sum += size * lengthOf(storage, /*first=*/0, /*count=*/0, /*to=*/0);
    return sum;
  }

  std::vector<unsigned> order; ///< Indices of the steps in their current order.

private:
  /// True if each of `count` steps that begin at position `first`, except the first one, reads a result of the step
  /// before it.
  bool isChain(unsigned first, unsigned count) const {
    if (first + count > order.size())
      return false;
    for (unsigned at = first + 1; at < first + count; ++at)
      if (llvm::none_of(steps[order[at]].reads,
                        [&](unsigned storage) { return llvm::is_contained(steps[order[at - 1]].writes, storage); }))
        return false;
    return true;
  }

  /// Returns the first position after all steps that must come before these `count` steps.
  unsigned earliest(unsigned first, unsigned count) const {
    unsigned to = 0;
    forConflicts(first, count, [&](unsigned other) {
      if (place[other] < first)
        to = std::max(to, place[other] + 1);
    });
    return to;
  }

  unsigned latest(unsigned first, unsigned count) const {
    unsigned to = order.size() - count;
    forConflicts(first, count, [&](unsigned other) {
      if (place[other] >= first + count)
        to = std::min(to, place[other] - count);
    });
    return to;
  }

  /// Visits the steps that conflict with any of `count` steps. Conflicting steps never swap, so their positions tell
  /// which one comes first.
  void forConflicts(unsigned first, unsigned count, llvm::function_ref<void(unsigned)> visit) const {
    for (unsigned at = first; at < first + count; ++at)
      for (bool writes : {false, true})
        for (unsigned storage : writes ? steps[order[at]].writes : steps[order[at]].reads)
          for (const Use &use : uses[storage])
            if (!isInside(place[use.step], first, count) && (writes || use.writes))
              visit(use.step);
  }

  static bool isInside(unsigned at, unsigned first, unsigned count) { return first <= at && at < first + count; }

  /// Returns how much getLength() decreases if `count` steps that begin at position `first` move to `to`. The steps
  /// that they pass stay in place, because none of them conflicts with the moved ones.
  int64_t gainOf(unsigned first, unsigned count, unsigned to) const {
    int64_t gain = 0;
    SmallVector<unsigned, 8> seen;
    for (unsigned at = first; at < first + count; ++at)
      for (unsigned storage : touched[order[at]])
        if (bytes[storage] > 0 && !llvm::is_contained(seen, storage)) {
          seen.push_back(storage);
          gain += bytes[storage] * (lengthOf(storage, first, count, first) - lengthOf(storage, first, count, to));
        }
    return gain;
  }

  int64_t lengthOf(unsigned storage, unsigned first, unsigned count, unsigned to) const {
    int64_t low = order.size(), high = -1;
    for (const Use &use : uses[storage]) {
      int64_t at = place[use.step];
      if (isInside(at, first, count))
        at += int64_t(to) - first;
      low = std::min(low, at);
      high = std::max(high, at);
    }
    return high - low;
  }

  void move(unsigned first, unsigned count, unsigned to) {
    auto begin = order.begin();
    if (to < first)
      std::rotate(begin + to, begin + first, begin + first + count);
    else
      std::rotate(begin + first, begin + first + count, begin + to + count);
    const unsigned from = std::min(first, to), end = std::max(first, to) + count;
    for (unsigned at = from; at < end; ++at)
      place[order[at]] = at;
  }

  ArrayRef<TouchingStep> steps;
  ArrayRef<int64_t> bytes;
  const unsigned mostTogether;
  std::vector<SmallVector<Use, 4>> uses;         ///< Uses of each storage.
  std::vector<SmallVector<unsigned, 4>> touched; ///< Storages that each step touches, without duplicates.
  std::vector<unsigned> place;                   ///< Position of each step in `order`.
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

std::vector<unsigned> orderSteps(ArrayRef<TouchingStep> steps, ArrayRef<int64_t> bytes, bool isShort) {
  std::vector<unsigned> asIs = Order(steps, bytes, 1).order;
  if (steps.size() > kMostSteps)
    return asIs;
  // Each sweep shortens lives, but not always the peak, so the best order of all sweeps is kept.
  const int64_t before = peakOf(steps, bytes, asIs);
  std::pair<int64_t, int64_t> least = {before, Order(steps, bytes, 1).getLength()};
  std::vector<unsigned> best = asIs;
  for (unsigned together : {1u, kMostTogether})
    for (bool early : {true, false}) {
      Order order(steps, bytes, together);
      for (unsigned sweep = 0, still = 0; sweep < 2 * kMostSweeps && still < 2; ++sweep) {
        still = order.sweep(early == (sweep % 2 == 0)) ? 0 : still + 1;
        const std::pair<int64_t, int64_t> now = {peakOf(steps, bytes, order.order), order.getLength()};
        if (now < least) {
          least = now;
          best = order.order;
        }
      }
    }
  const bool isSmaller = least.first <= before - before / 16 && least.first < before;
  return isSmaller || isShort ? best : asIs;
}

} // namespace nacre::schedule
