// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/AlignMiddles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace nacre::schedule {
namespace {

/// Returns, for each demand, the largest number of bytes that are alive at any of its steps.
SmallVector<int64_t> bytesWhileAlive(ArrayRef<BufferDemand> demands) {
  SmallVector<int64_t> alive;
  for (const BufferDemand &demand : demands) {
    alive.resize(std::max<size_t>(alive.size(), demand.lastStep + 1));
    for (unsigned step = demand.firstStep; step <= demand.lastStep; ++step)
      alive[step] += demand.sizeInBytes;
  }
  SmallVector<int64_t> most;
  for (const BufferDemand &demand : demands)
    most.push_back(*std::max_element(alive.begin() + demand.firstStep, alive.begin() + demand.lastStep + 1));
  return most;
}

class MiddleAligner {
public:
  MiddleAligner(ArrayRef<BufferDemand> demands, int64_t arenaBytes, int64_t alignment)
      : demands(demands), arenaBytes(arenaBytes), alignment(alignment), offsets(demands.size()) {}

  std::optional<ArenaPlan> run(ArrayRef<unsigned> order) {
    ArenaPlan plan;
    for (unsigned index : order) {
      std::optional<int64_t> offset = place(index);
      if (!offset)
        return std::nullopt;
      offsets[index] = *offset;
      placed.push_back(index);
      plan.sizeInBytes = std::max(plan.sizeInBytes, *offset + demands[index].sizeInBytes);
    }
    plan.offsetsInBytes.assign(offsets.begin(), offsets.end());
    return plan;
  }

private:
  bool meet(unsigned a, unsigned b) const {
    return demands[a].firstStep <= demands[b].lastStep && demands[b].firstStep <= demands[a].lastStep;
  }

  int64_t middleOf(unsigned index) const { return offsets[index] + demands[index].sizeInBytes / 2; }

  /// Returns the offset at which the middle of the buffer is nearest to the middle of a larger buffer. Only gaps
  /// between buffers that are alive at the same time are considered. Among equal offsets, the first one wins, so the
  /// largest buffer decides. Without a larger buffer, the lowest offset is returned.
  std::optional<int64_t> place(unsigned index) const {
    SmallVector<unsigned> others;
    llvm::copy_if(placed, std::back_inserter(others), [&](unsigned other) { return meet(index, other); });
    llvm::sort(others, [&](unsigned a, unsigned b) { return std::pair(offsets[a], a) < std::pair(offsets[b], b); });
    const int64_t size = demands[index].sizeInBytes;
    std::optional<int64_t> best;
    int64_t leastDistance = std::numeric_limits<int64_t>::max(), low = 0;
    auto tryGap = [&](int64_t high) {
      const int64_t highest = int64_t(llvm::alignDown(uint64_t(std::max<int64_t>(0, high - size)), alignment));
      if (high - size < low || highest < low)
        return;
      auto tryPlace = [&](int64_t offset, int64_t distance) {
        if (distance < leastDistance) {
          best = offset;
          leastDistance = distance;
        }
      };
      for (unsigned larger : placed)
        if (!meet(index, larger)) {
          const int64_t wanted = std::max<int64_t>(0, middleOf(larger) - size / 2);
          const int64_t offset = std::clamp(int64_t(llvm::alignDown(uint64_t(wanted), alignment)), low, highest);
          tryPlace(offset, std::abs(offset + size / 2 - middleOf(larger)));
        }
      tryPlace(low, std::numeric_limits<int64_t>::max() - 1);
    };
    for (unsigned other : others) {
      tryGap(offsets[other]);
      low = std::max(low, int64_t(llvm::alignTo(offsets[other] + demands[other].sizeInBytes, alignment)));
    }
    tryGap(arenaBytes);
    return best;
  }

  ArrayRef<BufferDemand> demands;
  const int64_t arenaBytes, alignment;
  SmallVector<int64_t> offsets;
  SmallVector<unsigned> placed;
};

} // namespace

ArenaPlan alignMiddles(ArrayRef<BufferDemand> demands, const ArenaPlan &plan, int64_t alignment) {
  // The time is quadratic, because each buffer is compared with every larger one.
  constexpr size_t most = 1024;
  if (demands.size() > most)
    return plan;
  SmallVector<unsigned> order(demands.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return demands[a].sizeInBytes > demands[b].sizeInBytes; });
  auto run = [&] { return MiddleAligner(demands, plan.sizeInBytes, alignment).run(order); };
  if (std::optional<ArenaPlan> aligned = run())
    return *aligned;
  // The steps with the most bytes decide the arena's size, so their buffers are placed first.
  const SmallVector<int64_t> fullest = bytesWhileAlive(demands);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return fullest[a] > fullest[b]; });
  std::optional<ArenaPlan> aligned = run();
  return aligned ? *aligned : plan;
}

} // namespace nacre::schedule
