// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/SideBySide.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include <map>
#include <numeric>
#include <set>

namespace nacre::schedule {
namespace {

/// Storages that the steps of a group read and write.
class Touched {
public:
  Touched() = default;
  explicit Touched(const TouchingStep &step) { add(step); }

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
  // A piece of a storage begins wherever the bytes that a launch touches begin or end.
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

using Groups = std::vector<std::vector<unsigned>>;

static Groups formGroups(llvm::ArrayRef<TouchingStep> steps, std::vector<unsigned> left) {
  constexpr size_t kNext = 12;
  Groups groups;
  while (!left.empty()) {
    Touched group, overtaken;
    std::vector<unsigned> rest;
    groups.emplace_back();
    for (auto [at, step] : llvm::enumerate(left)) {
      if ((at < kNext || steps[step].isEnd) && !group.conflicts(steps[step]) && !overtaken.conflicts(steps[step])) {
        group.add(steps[step]);
        groups.back().push_back(step);
      } else {
        overtaken.add(steps[step]);
        rest.push_back(step);
      }
    }
    left = std::move(rest);
  }
  return groups;
}

/// Returns, for each step, whether it can move back to before its first reader. This is the case if it depends on no
/// earlier step, and a later step depends on it.
static std::vector<bool> findLate(llvm::ArrayRef<TouchingStep> steps) {
  std::vector<bool> isLate;
  Touched before;
  for (auto [number, step] : llvm::enumerate(steps)) {
    auto waits = [own = Touched(step)](const TouchingStep &other) { return own.conflicts(other); };
    isLate.push_back(step.isBegin && !before.conflicts(step) && llvm::any_of(steps.drop_front(number + 1), waits));
    before.add(step);
  }
  return isLate;
}

std::vector<unsigned> orderSideBySide(llvm::ArrayRef<TouchingStep> steps) {
  std::vector<bool> isLate = findLate(steps);
  while (true) {
    std::vector<unsigned> others;
    for (unsigned step = 0; step < steps.size(); ++step)
      if (!isLate[step])
        others.push_back(step);
    Groups groups = formGroups(steps, std::move(others));
    Groups late(groups.size());
    for (unsigned step = 0; step < steps.size(); ++step)
      if (isLate[step]) {
        auto waits = [&, own = Touched(steps[step])](const std::vector<unsigned> &group) {
          return llvm::any_of(group, [&](unsigned other) { return own.conflicts(steps[other]); });
        };
        late[llvm::find_if(groups, waits) - groups.begin()].push_back(step);
      }
    if (late.empty() || late.front().empty()) {
      std::vector<unsigned> order;
      for (auto [number, group] : llvm::enumerate(groups)) {
        llvm::append_range(order, late[number]);
        llvm::append_range(order, group);
      }
      return order;
    }
    for (unsigned step : late.front()) // There is no group before the first one.
      isLate[step] = false;
  }
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
