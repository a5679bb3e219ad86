// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/SideBySide.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include <numeric>

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

std::vector<unsigned> orderSideBySide(llvm::ArrayRef<TouchingStep> steps) {
  constexpr size_t kNext = 12;
  std::vector<unsigned> order, left(steps.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    Touched group, overtaken;
    std::vector<unsigned> rest;
    for (auto [at, step] : llvm::enumerate(left)) {
      if (at < kNext && !group.conflicts(steps[step]) && !overtaken.conflicts(steps[step])) {
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
