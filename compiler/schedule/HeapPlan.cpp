// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/HeapPlan.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <utility>

using llvm::ArrayRef;

namespace nacre::schedule {
namespace {

/// Free bytes below the highest used byte. A hole is a maximal range of adjacent free bytes.
class Holes {
public:
  /// Takes the first bytes of the smallest hole that fits. If no hole fits, takes bytes above all used ones.
  int64_t take(int64_t size) {
    auto fit = bySize.lower_bound({size, 0});
    if (fit == bySize.end())
      return std::exchange(top, top + size);
    auto [holeSize, begin] = *fit;
    remove(begin, holeSize);
    if (holeSize > size)
      add(begin + size, holeSize - size);
    return begin;
  }

  void giveBack(int64_t begin, int64_t size) {
    auto next = sizeAt.lower_bound(begin);
    if (next != sizeAt.end() && next->first == begin + size) {
      size += next->second;
      remove(next->first, next->second);
    }
    next = sizeAt.lower_bound(begin);
    if (next != sizeAt.begin()) {
      auto [before, sizeBefore] = *std::prev(next);
      if (before + sizeBefore == begin) {
        remove(before, sizeBefore);
        begin = before;
        size += sizeBefore;
      }
    }
    if (begin + size == top)
      top = begin;
    else
      add(begin, size);
  }

private:
  void add(int64_t begin, int64_t size) {
    sizeAt[begin] = size;
    bySize.insert({size, begin});
  }
  void remove(int64_t begin, int64_t size) {
    sizeAt.erase(begin);
    bySize.erase({size, begin});
  }

  std::map<int64_t, int64_t> sizeAt;
  std::set<std::pair<int64_t, int64_t>> bySize;
  int64_t top = 0;
};

} // namespace

ArenaPlan planAsHeap(ArrayRef<BufferDemand> demands, ArrayRef<unsigned> byUse, int64_t alignment) {
  ArenaPlan plan;
  plan.offsetsInBytes.assign(demands.size(), 0);
  Holes holes;
  auto sizeOf = [&](unsigned index) {
    return int64_t(llvm::alignTo(std::max<int64_t>(demands[index].sizeInBytes, 1), alignment));
  };
  using End = std::pair<unsigned, unsigned>; // Last step and index of a demand.
  std::priority_queue<End, std::vector<End>, std::greater<>> alive;
  for (unsigned index : byUse) {
    for (; !alive.empty() && alive.top().first < demands[index].firstStep; alive.pop())
      holes.giveBack(plan.offsetsInBytes[alive.top().second], sizeOf(alive.top().second));
    const int64_t offset = plan.offsetsInBytes[index] = holes.take(sizeOf(index));
    plan.sizeInBytes = std::max(plan.sizeInBytes, offset + demands[index].sizeInBytes);
    alive.push({demands[index].lastStep, index});
  }
  return plan;
}

} // namespace nacre::schedule
