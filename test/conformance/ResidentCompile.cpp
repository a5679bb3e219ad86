// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs many command lines of nacre-compile in one process (Resident.h).
// Usage: nacre-resident-compile <seconds that a command line may take>

#include "test/conformance/Resident.h"
#include "tools/compile/Program.h"

int main(int argc, char **argv) {
  return nacre::conformance::serve(argc, argv, "nacre-compile", nacre::tools::runCompileProgram);
}
