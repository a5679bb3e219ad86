// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs phases of one compilation, and does for each what all need: progress, a trace, its time in the report, its IR as
// text.
//
// Searches run a phase several times, on modules that may not be chosen, and need not care for any of this.

#ifndef NACRE_COMPILER_DRIVER_PHASERUNNER_H
#define NACRE_COMPILER_DRIVER_PHASERUNNER_H

#include "compiler/driver/Progress.h"
#include "compiler/options/CompilerOptions.h"
#include "compiler/report/CompileReport.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace nacre {

class PhaseRunner {
public:
  /// Writes only times into `report`. All arguments must outlive this.
  PhaseRunner(const CompilerOptions &options, mlir::MLIRContext &context, CompileReport &report, Progress progress)
      : options(options), context(context), report(report), progress(progress) {}

  mlir::MLIRContext &getContext() const { return context; }

  /// Runs the work of a phase.
  mlir::LogicalResult run(Phase phase, llvm::function_ref<mlir::LogicalResult()> work);
  /// Runs passes on `module` as a phase, or as a part of one.
  mlir::LogicalResult runPasses(Phase phase, mlir::ModuleOp module,
                                llvm::function_ref<void(mlir::OpPassManager &)> build);

  /// Returns a function that reports how much of a phase is done.
  auto progressOf(Phase phase) const {
    return [this, phase](unsigned done, unsigned total) { progress(phase, done, total); };
  }

  /// Returns true if the phase is the last one, whose IR is printed.
  bool isLast(Phase phase) const { return options.compileTo == phase; }
  /// Returns the IR if `phase` is the last one, else nothing.
  std::string textOf(Phase phase, mlir::ModuleOp module) const;

  mlir::LogicalResult fail(const llvm::Twine &message) const;

private:
  const CompilerOptions &options;
  mlir::MLIRContext &context;
  CompileReport &report;
  Progress progress;
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_PHASERUNNER_H
