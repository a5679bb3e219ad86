// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/ProgramProfile.h"

#include <algorithm>
#include <utility>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace nacre::schedule {

/// Assigns positions to the steps, beginning with `next`.
static void number(ArrayRef<Step> steps, std::vector<StepNumbers> &numbers, unsigned &next) {
  for (const Step &step : steps) {
    const unsigned first = next++;
    number(step.first, numbers, next);
    number(step.second, numbers, next);
    numbers[step.id] = {first, step.kind == StepKind::Loop ? next++ : next - 1};
  }
}

ProgramProfile::ProgramProfile(const PricedProgram &program)
    : numbers(program.prices.size()), lives(readLives(program.steps, program.bytes.size())) {
  unsigned count = 0;
  number(program.steps, numbers, count);
  alive.assign(count + 1, 0);
  for (auto [life, bytes] : llvm::zip_equal(lives, program.bytes))
    if (life.first <= life.last) {
      alive[life.first] += bytes;
      alive[life.last + 1] -= bytes;
    }
  for (size_t at = 1; at < alive.size(); ++at)
    alive[at] += alive[at - 1];
  peak = unsigned(std::max_element(alive.begin(), alive.end()) - alive.begin());
  crowded = llvm::count(alive, alive[peak]);
}

bool ProgramProfile::isBelow(const ProgramProfile &other) const {
  return std::make_pair(peakBytes(), crowded) < std::make_pair(other.peakBytes(), other.crowded);
}

StepList::StepList(ArrayRef<Step> steps, size_t storages, double executions)
    : steps(steps), uses(storages), executions(executions) {
  for (auto [index, step] : llvm::enumerate(steps))
    note(step, index);
}

bool StepList::isWrittenBetween(unsigned storage, unsigned from, unsigned to) const {
  return llvm::any_of(uses[storage],
                      [&](const StorageUse &use) { return use.writes && from < use.index && use.index < to; });
}

void StepList::note(const Step &step, unsigned index) {
  for (const Touch &touch : step.touches) {
    SmallVector<StorageUse, 4> &list = uses[touch.storage];
    if (list.empty() || list.back().index != index)
      list.push_back({index});
    (touch.writes ? list.back().writes : list.back().reads) = true;
  }
  for (const std::vector<Step> *inner : {&step.first, &step.second})
    for (const Step &each : *inner)
      note(each, index);
}

} // namespace nacre::schedule
