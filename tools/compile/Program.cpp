// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/Program.h"
#include "compiler/driver/ModelQuestions.h"
#include "compiler/driver/Pipeline.h"
#include "tools/compile/ChipList.h"
#include "tools/compile/Console.h"
#include "tools/compile/Options.h"
#include "tools/compile/Presets.h"
#include "tools/compile/Targets.h"
#include "tools/compile/TimeTrace.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace nacre::tools {

static mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

static int run(const CommandLine &commandLine) {
  const CompilerOptions &options = commandLine.compiler;
  mlir::MLIRContext context(allDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // users know the model's nodes, but not operations
  Console console(context, options.modelPath, commandLine.quiet);
  if (commandLine.check)
    return runCheck(options, context, console);
  if (commandLine.listWeights)
    return runListWeights(options, context);
  TimeTrace trace(commandLine.timeTracePath);
  NamedFiles files = commandLine.files;
  const int status = runCompile(options, commandLine.reportPath, files, context, console);
  if (status && !files.findProblem().empty())
    return status; // the trace is not written, because it could overwrite a file of the model
  const int written = trace.write();
  return status ? status : written;
}

int runCompileProgram(int argc, char **argv) {
  llvm::Expected<CommandLine> commandLine = parseCommandLine(argc, argv);
  if (!commandLine) {
    llvm::errs() << "nacre-compile: " << llvm::toString(commandLine.takeError()) << "\n";
    return 2;
  }
  if (commandLine->listDevices)
    return listDevices();
  if (commandLine->listPresets) {
    listPresets(llvm::outs());
    return 0;
  }
  if (commandLine->listChips) {
    listChips(llvm::outs());
    return 0;
  }
  if (commandLine->listOperators) {
    printOperators(llvm::outs());
    return 0;
  }
  if (commandLine->check || commandLine->listWeights) // the result is the same for all targets
    return run(*commandLine);
  auto targets = forEachTarget(*commandLine);
  if (!targets) {
    llvm::errs() << "nacre-compile: " << llvm::toString(targets.takeError()) << "\n";
    return 2;
  }
  for (const CommandLine &one : *targets) {
    if (targets->size() > 1) // not checked: if this fails, writing the output also fails, and that error is reported
      (void)llvm::sys::fs::create_directory(llvm::sys::path::parent_path(one.compiler.outputPath),
                                            /*IgnoreExisting=*/true, llvm::sys::fs::all_all); // the umask limits the
                                                                                              // permissions
    if (int status = run(one))
      return status;
  }
  return 0;
}

} // namespace nacre::tools
