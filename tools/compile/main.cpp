// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-compile: a trained network in, one shared library with a C header out.

#include "compiler/ModelQuestions.h"
#include "compiler/Pipeline.h"
#include "tools/compile/Console.h"
#include "tools/compile/Options.h"

#include "llvm/Support/InitLLVM.h"

using namespace nacre;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::Expected<tools::CommandLine> commandLine = tools::parseCommandLine(argc, argv);
  if (!commandLine) {
    llvm::errs() << "nacre-compile: " << llvm::toString(commandLine.takeError()) << "\n";
    return 2;
  }
  if (commandLine->listDevices)
    return tools::listDevices();
  if (commandLine->listOperators) {
    printOperators(llvm::outs());
    return 0;
  }
  const CompilerOptions &options = commandLine->compiler;

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // users know nodes, not operations
  tools::Console console(context, options.modelPath, commandLine->quiet);
  if (commandLine->check)
    return tools::runCheck(options, context, console);
  if (commandLine->listWeights)
    return tools::runListWeights(options, context);
  return tools::runCompile(options, commandLine->reportPath, context, console);
}
