// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-eval: runs a model without compiling it.

#include "tools/CommandLine.h"
#include "tools/Failure.h"
#include "tools/OutOfMemory.h"
#include "tools/eval/Program.h"

#include "llvm/Support/InitLLVM.h"

using namespace nacre;

int main(int argc, char **argv) {
  tools::watchStandardStreams(int(tools::ExitCode::Usage));
  llvm::InitLLVM init(argc, argv);
  tools::handleOutOfMemory();
  return tools::runEvalProgram(argc, argv);
}
