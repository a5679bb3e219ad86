// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of nacre-compile: diagnostics with the model's names, progress on a terminal, and the summary.

#ifndef NACRE_TOOLS_COMPILE_CONSOLE_H
#define NACRE_TOOLS_COMPILE_CONSOLE_H

#include "compiler/driver/Pipeline.h"
#include "dialects/NamedFiles.h"
#include "mlir/IR/Diagnostics.h"
#include "tools/compile/ProgressLine.h"

namespace nacre::tools {

/// Prints diagnostics as `model.onnx:"node": error: message`. On a terminal, it also shows a line of progress, which
/// messages replace. Otherwise, it prints a line every half minute.
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

/// Compiles and writes the requested files; returns the exit code.
int runCompile(const CompilerOptions &options, llvm::StringRef reportPath, NamedFiles &files,
               mlir::MLIRContext &context, Console &console);

/// Lists unsupported operators for `--check`; returns the exit code.
int runCheck(const CompilerOptions &options, mlir::MLIRContext &context, Console &console);

/// Lists the model's weights for `--list-weights`; returns the exit code.
int runListWeights(const CompilerOptions &options, mlir::MLIRContext &context);

/// Prints the names and descriptions of the profiles for --device; returns the exit status.
int listDevices();

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_CONSOLE_H
