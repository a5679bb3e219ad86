// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps: 1. live bytes at each step; 2. placing demands in a given order; 3. better orders; 4. the orders that are
// tried.

#include "compiler/schedule/ArenaPlanner.h"
#include "compiler/schedule/HeapPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>
#include <numeric>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace nacre::schedule {
namespace {

//===----------------------------------------------------------------------===//
// 1. Bytes alive at each step
//===----------------------------------------------------------------------===//

SmallVector<int64_t> bytesAliveAtSteps(ArrayRef<BufferDemand> demands) {
  unsigned steps = 0;
  for (const BufferDemand &demand : demands)
    steps = std::max(steps, demand.lastStep + 1);
  SmallVector<int64_t> change(steps + 1, 0);
  for (const BufferDemand &demand : demands) {
    change[demand.firstStep] += demand.sizeInBytes;
    change[demand.lastStep + 1] -= demand.sizeInBytes;
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  return change;
}

/// Returns the number of pairs of demands that are alive at the same step.
size_t countMeetings(ArrayRef<BufferDemand> demands, unsigned steps) {
  SmallVector<size_t> begun(steps + 1, 0), ended(steps + 1, 0);
  for (const BufferDemand &demand : demands) {
    ++begun[demand.firstStep];
    ++ended[demand.lastStep];
  }
  size_t meetings = 0, alive = 0;
  for (unsigned step = 0; step <= steps; ++step) {
    meetings += begun[step] * alive + begun[step] * (begun[step] - 1) / 2;
    alive += begun[step] - ended[step];
  }
  return meetings;
}

/// Maximum over any range of values, in constant time. Row i holds, for each position, the maximum of 2^i values that
/// begin there.
class RangeMaximum {
public:
  explicit RangeMaximum(ArrayRef<int64_t> numbers) : rows{SmallVector<int64_t>(numbers)} {
    for (size_t width = 1; 2 * width <= numbers.size(); width *= 2) {
      ArrayRef<int64_t> half = rows.back();
      SmallVector<int64_t> row(numbers.size() - 2 * width + 1);
      for (size_t at = 0; at < row.size(); ++at)
        row[at] = std::max(half[at], half[at + width]);
      rows.push_back(std::move(row));
    }
  }

  /// Returns the maximum of the values at positions `first` to `last`.
  int64_t get(size_t first, size_t last) const {
    const unsigned row = llvm::Log2_64(last - first + 1);
    return std::max(rows[row][first], rows[row][last + 1 - (size_t(1) << row)]);
  }

private:
  std::vector<SmallVector<int64_t>> rows;
};

//===----------------------------------------------------------------------===//
// 2. Placing demands in a given order
//===----------------------------------------------------------------------===//

/// Demands placed so far, in buckets by ranges of steps. Thousands of short lives one after another then take linear
/// time.
class PlacedDemands {
public:
  explicit PlacedDemands(unsigned steps) : begun(steps / bucketSteps + 1), crossing(begun.size()) {}

  void add(unsigned index, const BufferDemand &demand) {
    unsigned first = demand.firstStep / bucketSteps;
    begun[first].push_back(index);
    for (unsigned bucket = first + 1; bucket <= demand.lastStep / bucketSteps; ++bucket)
      crossing[bucket].push_back(index);
  }

  /// Returns every placed demand that is alive together with `demand`, without duplicates.
  SmallVector<unsigned> aliveWith(const BufferDemand &demand, ArrayRef<BufferDemand> demands) const {
    SmallVector<unsigned> result;
    auto collect = [&](ArrayRef<unsigned> bucket) {
      for (unsigned index : bucket)
        if (demands[index].firstStep <= demand.lastStep && demand.firstStep <= demands[index].lastStep)
          result.push_back(index);
    };
    // First those that began in an earlier bucket than `demand`, then those that begin in the buckets of its life.
    unsigned first = demand.firstStep / bucketSteps;
    collect(crossing[first]);
    for (unsigned bucket = first; bucket <= demand.lastStep / bucketSteps; ++bucket)
      collect(begun[bucket]);
    return result;
  }

private:
  static constexpr unsigned bucketSteps = 16;
  SmallVector<SmallVector<unsigned>> begun;    ///< Demands, by the bucket of their first step.
  SmallVector<SmallVector<unsigned>> crossing; ///< Demands, by each later bucket up to the bucket of their last step.
};

/// Places each demand in the tightest gap that fits. The space above all neighbours is also a gap, which ends at
/// `ceiling` and is filled from its upper end. In a chain, every other buffer is then below the ceiling, and neighbours
/// of any sizes fit exactly.
ArenaPlan placeInOrder(ArrayRef<BufferDemand> demands, ArrayRef<unsigned> order, int64_t alignment, unsigned steps,
                       int64_t ceiling, size_t &meetings) {
  ArenaPlan plan;
  plan.offsetsInBytes.assign(demands.size(), 0);
  PlacedDemands placed(steps);
  for (unsigned index : order) {
    const BufferDemand &demand = demands[index];
    SmallVector<unsigned> others = placed.aliveWith(demand, demands);
    meetings += others.size();
    llvm::sort(others, [&](unsigned a, unsigned b) {
      return std::make_pair(plan.offsetsInBytes[a], a) < std::make_pair(plan.offsetsInBytes[b], b);
    });

    int64_t best = -1, bestGap = std::numeric_limits<int64_t>::max(), end = 0;
    for (unsigned other : others) {
      int64_t gap = plan.offsetsInBytes[other] - end;
      if (gap >= demand.sizeInBytes && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
      int64_t otherEnd = plan.offsetsInBytes[other] + demands[other].sizeInBytes;
      end = std::max(end, int64_t(llvm::alignTo(otherEnd, alignment)));
    }
    int64_t upper = ceiling - end;
    if (end > 0 && upper >= demand.sizeInBytes && upper < bestGap)
      best = int64_t(llvm::alignDown(uint64_t(ceiling - demand.sizeInBytes), uint64_t(alignment)));
    plan.offsetsInBytes[index] = best >= 0 ? best : end;
    plan.sizeInBytes = std::max(plan.sizeInBytes, plan.offsetsInBytes[index] + demand.sizeInBytes);
    placed.add(index, demand);
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// 3. Better orders
//===----------------------------------------------------------------------===//

/// Improves an order. Moves each demand that ends above `bound` forward to half its rank, and places all demands again.
/// Repeats this. Demands early in the order get good places ("Squeaky wheel optimization", Joslin and Clements, 1999).
/// Keeps the best plan.
void improve(ArenaPlan &best, ArrayRef<BufferDemand> demands, SmallVector<unsigned> order, int64_t alignment,
             unsigned steps, int64_t ceiling, int64_t bound) {
  constexpr unsigned kMostRounds = 64;
  constexpr size_t kMostMeetings = size_t(1) << 20;
  size_t meetings = 0;
  for (unsigned round = 0; round < kMostRounds && meetings < kMostMeetings && best.sizeInBytes > bound; ++round) {
    ArenaPlan plan = placeInOrder(demands, order, alignment, steps, ceiling, meetings);
    for (size_t rank = 0; rank < order.size(); ++rank) {
      const unsigned index = order[rank];
      if (plan.offsetsInBytes[index] + demands[index].sizeInBytes > bound)
        std::rotate(order.begin() + rank / 2, order.begin() + rank, order.begin() + rank + 1);
    }
    if (plan.sizeInBytes < best.sizeInBytes)
      best = std::move(plan);
  }
}

} // namespace

int64_t peakBytes(ArrayRef<BufferDemand> demands) {
  SmallVector<int64_t> alive = bytesAliveAtSteps(demands);
  return alive.empty() ? 0 : *llvm::max_element(alive);
}

//===----------------------------------------------------------------------===//
// 4. The orders that are tried
//===----------------------------------------------------------------------===//

/// Returns a lower bound of the size of an arena whose demands are rounded up to multiples of `alignment`.
static int64_t leastBytes(ArrayRef<BufferDemand> demands, int64_t alignment) {
  SmallVector<BufferDemand> aligned(demands);
  for (BufferDemand &demand : aligned)
    demand.sizeInBytes = int64_t(llvm::alignTo(demand.sizeInBytes, alignment));
  return peakBytes(aligned);
}

ArenaPlan planArena(ArrayRef<BufferDemand> demands, int64_t alignment) {
  assert(alignment > 0 && llvm::isPowerOf2_64(alignment) && "alignment must be a power of two");
  if (demands.empty())
    return {};
  SmallVector<int64_t> alive = bytesAliveAtSteps(demands);
  unsigned steps = alive.size();

  SmallVector<unsigned> byUse(demands.size());
  std::iota(byUse.begin(), byUse.end(), 0);
  llvm::stable_sort(byUse, [&](unsigned a, unsigned b) { return demands[a].firstStep < demands[b].firstStep; });

  // If too many pairs of lives overlap, comparing them takes longer than a better plan is worth.
  constexpr size_t enoughMeetings = size_t(1) << 23;
  if (countMeetings(demands, steps) > enoughMeetings)
    return planAsHeap(demands, byUse, alignment);

  SmallVector<unsigned> bySize(byUse);
  llvm::stable_sort(bySize, [&](unsigned a, unsigned b) { return demands[a].sizeInBytes > demands[b].sizeInBytes; });

  // Demands alive at the fullest steps first: these steps decide the size of the arena.
  const RangeMaximum fullestOf(alive);
  SmallVector<int64_t> fullest(demands.size());
  for (auto [index, demand] : llvm::enumerate(demands))
    fullest[index] = fullestOf.get(demand.firstStep, demand.lastStep);
  SmallVector<unsigned> byBreadth(bySize);
  llvm::stable_sort(byBreadth, [&](unsigned a, unsigned b) { return fullest[a] > fullest[b]; });

  ArenaPlan best;
  best.sizeInBytes = std::numeric_limits<int64_t>::max();
  // Each order is tried without a ceiling (0), and with a ceiling at the lower bound of any arena, plus rounding.
  int64_t bound = *llvm::max_element(alive) + 2 * alignment;
  size_t meetings = 0;
  for (int64_t ceiling : {int64_t(0), bound})
    for (ArrayRef<unsigned> order :
         {ArrayRef<unsigned>(bySize), ArrayRef<unsigned>(byBreadth), ArrayRef<unsigned>(byUse)}) {
      if (meetings > enoughMeetings)
        return best;
      ArenaPlan plan = placeInOrder(demands, order, alignment, steps, ceiling, meetings);
      if (plan.sizeInBytes < best.sizeInBytes)
        best = std::move(plan);
    }
  // A plan within 1 % of the lower bound is good enough.
  const int64_t least = leastBytes(demands, alignment);
  for (int64_t ceiling : {int64_t(0), bound})
    for (ArrayRef<unsigned> order :
         {ArrayRef<unsigned>(bySize), ArrayRef<unsigned>(byBreadth), ArrayRef<unsigned>(byUse)})
      if (best.sizeInBytes > least + least / 100)
        improve(best, demands, SmallVector<unsigned>(order), alignment, steps, ceiling, least);
  return best;
}

} // namespace nacre::schedule
