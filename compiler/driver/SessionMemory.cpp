// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/SessionMemory.h"

#include "codegen/package/Package.h"
#include "compiler/report/DescribeLaunches.h"
#include "compiler/schedule/Lifetimes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre {

static int64_t runtimeBytes(plan::EntryOp entry) {
  constexpr int64_t atAll = 4096, ofALaunch = 256;
  int64_t bytes = atAll;
  entry.walk([&](plan::LaunchOp) { bytes += ofALaunch; });
  return bytes;
}

int64_t runtimeBytes(ModuleOp module) {
  int64_t most = 0;
  for (auto entry : module.getOps<plan::EntryOp>())
    most = std::max(most, runtimeBytes(entry));
  return most;
}

int64_t sessionBytes(ModuleOp scheduled) {
  int64_t most = 0;
  for (auto entry : scheduled.getOps<plan::EntryOp>())
    most = std::max(most, entry.getArenaBytes().value_or(0) + schedule::portBytes(entry) + runtimeBytes(entry));
  return most + int64_t(stateBytes(scheduled));
}

int64_t SessionMemory::getMostBytes(ModuleOp placed) const {
  return cap - int64_t(package::weightBytes(placed, areWeightsApart)) - int64_t(stateBytes(placed)) -
         runtimeBytes(placed) - scratch;
}

SessionMemory::Verdict SessionMemory::judge(ModuleOp scheduled, int64_t scratchBytes) {
  const auto weights = int64_t(package::weightBytes(scheduled, areWeightsApart));
  const int64_t session = sessionBytes(scheduled) + scratchBytes;
  if (weights + session <= cap)
    return Verdict::Fits;
  if (scratchBytes > scratch && weights + scratchBytes < cap) {
    scratch = scratchBytes;
    return Verdict::Again;
  }
  constexpr int64_t mebibyte = 1 << 20;
  auto mebibytes = [](int64_t bytes) { return int64_t(llvm::divideCeil(bytes, mebibyte)); };
  InFlightDiagnostic error = emitError(UnknownLoc::get(scheduled.getContext()));
  error << origin << " must be at least " << mebibytes(weights + session) << " MiB for this model, but is "
        << cap / mebibyte << ": weights take " << weights << " bytes, and a session of one thread takes " << session
        << "; ";
  if (origin == "--memory-cap")
    error << "choose a smaller input shape, or narrower weights with --weight-type";
  else
    error << "allow that with --memory-cap=" << mebibytes(weights + session);
  return Verdict::Refused;
}

} // namespace nacre
