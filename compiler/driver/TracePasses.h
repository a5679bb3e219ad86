// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds MLIR's passes to LLVM's time trace, which already has LLVM's own passes.

#ifndef NACRE_COMPILER_DRIVER_TRACEPASSES_H
#define NACRE_COMPILER_DRIVER_TRACEPASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/TimeProfiler.h"

namespace nacre {

class TracePasses : public mlir::PassInstrumentation {
public:
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    if (llvm::timeTraceProfilerEnabled())
      llvm::timeTraceProfilerBegin("pass", pass->getName());
  }
  void runAfterPass(mlir::Pass *, mlir::Operation *) override { end(); }
  void runAfterPassFailed(mlir::Pass *, mlir::Operation *) override { end(); }

private:
  static void end() {
    if (llvm::timeTraceProfilerEnabled())
      llvm::timeTraceProfilerEnd();
  }
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_TRACEPASSES_H
