// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/SessionMemory.h"

#include "codegen/package/Package.h"
#include "compiler/report/DescribeLaunches.h"
#include "compiler/schedule/Lifetimes.h"
#include "dialects/plan/PlanDialect.h"

using namespace mlir;

namespace nacre {

/// Returns an upper bound of the bytes that a session of the entry holds for the runtime's own tables.
static int64_t runtimeBytes(plan::EntryOp entry) {
  constexpr int64_t atAll = 4096, ofALaunch = 256;
  int64_t bytes = atAll;
  entry.walk([&](plan::LaunchOp) { bytes += ofALaunch; });
  return bytes;
}

int64_t sessionBytes(ModuleOp scheduled) {
  int64_t most = 0;
  for (auto entry : scheduled.getOps<plan::EntryOp>())
    most = std::max(most, entry.getArenaBytes().value_or(0) + schedule::portBytes(entry) + runtimeBytes(entry));
  return most + int64_t(stateBytes(scheduled));
}

int64_t MemoryLimit::getWeightBytes(ModuleOp module) const {
  return countsWeights ? int64_t(package::weightBytes(module, areWeightsApart)) : 0;
}

int64_t MemoryLimit::getArenaLimit(ModuleOp placed, int64_t scratchBytes) const {
  int64_t tables = 0;
  for (auto entry : placed.getOps<plan::EntryOp>())
    tables = std::max(tables, runtimeBytes(entry));
  return bytes - getWeightBytes(placed) - int64_t(stateBytes(placed)) - tables - scratchBytes;
}

} // namespace nacre
