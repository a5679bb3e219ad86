// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs many command lines of nacre-eval in one process (Resident.h).
// Usage: nacre-resident-eval <seconds that a command line may take>

#include "test/conformance/Resident.h"
#include "tools/eval/Program.h"

int main(int argc, char **argv) {
  return nacre::conformance::serve(argc, argv, "nacre-eval", nacre::tools::runEvalProgram);
}
