// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/PlanSearch.h"

#include <algorithm>

namespace nacre {

bool PlanSearch::record(const Trial &trial) {
  const Tried tried{now, trial};
  // Steps of the CPU compute in f32 and need no loss scale.
  if (now.scalesLoss && !trial.usesGpu) {
    now.scalesLoss = false;
    now.isCpuOnly = true;
    return false;
  }
  if (!settings.mostBytes || isForScratch) {
    best = tried;
    settle();
    return true;
  }
  // The last trial is not always the least: sums of gradients may take more than smaller parts save.
  if (!least || bytesOf(tried) < bytesOf(*least))
    least = tried;
  const bool isBest = fits(tried) && (!best || trial.nanoseconds < best->trial.nanoseconds);
  const int64_t smaller = getSmallerPart();
  if (isBest)
    best = tried;
  if (best && (!isBest || smaller == 0 || !trial.runsAgain))
    settle();
  else if (smaller == 0)
    return endWithoutFit(tried);
  else
    tryPart(smaller);
  return isBest;
}

bool PlanSearch::endWithoutFit(const Tried &tried) {
  // The error says how much memory is enough, so the kernels of the least plan are compiled to know it.
  lacksMemory = !settings.compilesKernels || scratch.count(least->choice.part);
  isOver = lacksMemory;
  if (lacksMemory)
    return false;
  if (tried.choice.part == least->choice.part) {
    best = least;
    settle();
    return true;
  }
  isForScratch = true;
  tryPart(least->choice.part);
  return false;
}

int64_t PlanSearch::getMostScratch() const {
  return settings.mostBytes ? *settings.mostBytes - best->trial.bytes() : std::numeric_limits<int64_t>::max();
}

bool PlanSearch::recordScratch(int64_t bytes) {
  isOver = true;
  if (bytes <= getMostScratch())
    return true;
  scratch[best->choice.part] = bytes;
  isOver = isBestSettled = isForScratch = false;
  best.reset();
  least.reset();
  tryPart(settings.part);
  return false;
}

void PlanSearch::settle() {
  isBestSettled = true;
  isOver = !settings.compilesKernels;
}

void PlanSearch::tryPart(int64_t part) {
  now.part = part;
  const auto known = scratch.find(part);
  now.scratchBytes = known == scratch.end() ? 0 : known->second;
}

int64_t PlanSearch::getSmallerPart() const {
  int64_t part = (now.part ? std::min(now.part, dividedBatch) : dividedBatch) - 1;
  while (part > 0 && dividedBatch % part != 0)
    --part;
  return part;
}

} // namespace nacre
