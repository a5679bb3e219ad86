// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-compile: a trained network in, one shared library with a C header out.

#include "tools/CommandLine.h"
#include "tools/OutOfMemory.h"
#include "tools/compile/Program.h"

#include "llvm/Support/InitLLVM.h"

using namespace nacre;

int main(int argc, char **argv) {
  tools::watchStandardStreams(/*status=*/1);
  llvm::InitLLVM init(argc, argv);
  tools::handleOutOfMemory();
  return tools::runCompileProgram(argc, argv);
}
