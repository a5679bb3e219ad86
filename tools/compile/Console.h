// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nacre-compile says: diagnostics in the model's words, progress on a terminal, the summary.

#ifndef NACRE_TOOLS_COMPILE_CONSOLE_H
#define NACRE_TOOLS_COMPILE_CONSOLE_H

#include "compiler/driver/Pipeline.h"
#include "dialects/NamedFiles.h"
#include "mlir/IR/Diagnostics.h"
#include "tools/compile/ProgressLine.h"

namespace nacre::tools {

/// Prints diagnostics as `model.onnx:"node": error: message` and, on a terminal, one line of progress that they
/// replace; elsewhere a line each half a minute.
class Console {
public:
  Console(mlir::MLIRContext &context, llvm::StringRef modelPath, bool quiet);

  void showProgress(Phase phase, unsigned done, unsigned total);
  void clearProgress();
  bool isQuiet() const { return quiet; }

private:
  void print(mlir::Diagnostic &diagnostic);

  std::string modelPath;
  bool quiet, terminal, progressShown = false;
  ProgressLine progress;
  mlir::ScopedDiagnosticHandler handler;
};

/// Compiles and writes what was asked for; returns the exit code.
int runCompile(const CompilerOptions &options, llvm::StringRef reportPath, NamedFiles &files,
               mlir::MLIRContext &context, Console &console);

/// `--check`; returns the exit code.
int runCheck(const CompilerOptions &options, mlir::MLIRContext &context, Console &console);

/// `--list-weights`; returns the exit code.
int runListWeights(const CompilerOptions &options, mlir::MLIRContext &context);

/// Prints the names and descriptions of the profiles for --device; returns the exit status.
int listDevices();

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_CONSOLE_H
