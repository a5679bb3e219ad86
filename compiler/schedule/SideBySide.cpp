// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/SideBySide.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include <map>
#include <numeric>
#include <set>

namespace nacre::schedule {
namespace {

/// What some steps touch.
class Touched {
public:
  bool conflicts(const TouchingStep &step) const {
    auto isWritten = [&](unsigned storage) { return written.count(storage) > 0; };
    auto isTouched = [&](unsigned storage) { return isWritten(storage) || read.count(storage) > 0; };
    return llvm::any_of(step.reads, isWritten) || llvm::any_of(step.writes, isTouched);
  }
  void add(const TouchingStep &step) {
    read.insert(step.reads.begin(), step.reads.end());
    written.insert(step.writes.begin(), step.writes.end());
  }

private:
  llvm::SmallSet<unsigned, 16> read, written;
};

} // namespace

std::vector<TouchingStep> touchedPieces(llvm::ArrayRef<Step> launches) {
  // A piece begins where some launch begins or ends to touch the storage.
  std::map<unsigned, std::set<int64_t>> cuts;
  for (const Step &launch : launches)
    for (const Touch &touch : launch.touches)
      cuts[touch.storage].insert({touch.begin, touch.end});
  std::map<std::pair<unsigned, int64_t>, unsigned> numbers;
  for (const auto &[storage, begins] : cuts)
    for (int64_t begin : begins)
      numbers.try_emplace({storage, begin}, numbers.size());
  std::vector<TouchingStep> touching;
  for (const Step &launch : launches) {
    TouchingStep &step = touching.emplace_back();
    for (const Touch &touch : launch.touches) {
      const std::set<int64_t> &begins = cuts[touch.storage];
      for (auto begin = begins.find(touch.begin); *begin != touch.end; ++begin)
        (touch.writes ? step.writes : step.reads).push_back(numbers.at({touch.storage, *begin}));
    }
  }
  return touching;
}

std::vector<unsigned> orderSideBySide(llvm::ArrayRef<TouchingStep> steps) {
  constexpr size_t kNext = 12;
  std::vector<unsigned> order, left(steps.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    Touched group, overtaken;
    std::vector<unsigned> rest;
    for (auto [at, step] : llvm::enumerate(left)) {
      if ((at < kNext || steps[step].isEnd) && !group.conflicts(steps[step]) && !overtaken.conflicts(steps[step])) {
        group.add(steps[step]);
        order.push_back(step);
      } else {
        overtaken.add(steps[step]);
        rest.push_back(step);
      }
    }
    left = std::move(rest);
  }
  return order;
}

std::vector<unsigned> groupsOf(llvm::ArrayRef<TouchingStep> steps) {
  std::vector<unsigned> groups;
  Touched group;
  unsigned number = 0;
  for (const TouchingStep &step : steps) {
    if (group.conflicts(step)) {
      ++number;
      group = Touched();
    }
    group.add(step);
    groups.push_back(number);
  }
  return groups;
}

} // namespace nacre::schedule
