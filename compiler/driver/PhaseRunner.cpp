// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/PhaseRunner.h"

#include "compiler/driver/PrintModule.h"
#include "compiler/driver/TracePasses.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/TimeProfiler.h"
#include <chrono>

using namespace mlir;

namespace nacre {

LogicalResult PhaseRunner::run(Phase phase, llvm::function_ref<LogicalResult()> work) {
  progress(phase, 0, 0);
  const llvm::TimeTraceScope scope(phaseWord(phase));
  const auto begin = std::chrono::steady_clock::now();
  const LogicalResult result = work();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  report.addTime(phase, taken.count());
  return result;
}

LogicalResult PhaseRunner::runPasses(Phase phase, ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  return run(phase, [&] {
    PassManager passes(&context);
    passes.addInstrumentation(std::make_unique<TracePasses>());
    build(passes);
    return passes.run(module);
  });
}

std::string PhaseRunner::textOf(Phase phase, ModuleOp module) const {
  std::string text;
  if (isLast(phase)) {
    llvm::raw_string_ostream stream(text);
    printWithoutResources(module, stream);
  }
  return text;
}

LogicalResult PhaseRunner::fail(const Twine &message) const { return emitError(UnknownLoc::get(&context)) << message; }

} // namespace nacre
