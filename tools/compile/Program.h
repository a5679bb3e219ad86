// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one command line of nacre-compile. main() only prepares the process.
// Why: the conformance tests run many command lines in one process (test/conformance/Resident.h).

#ifndef NACRE_TOOLS_COMPILE_PROGRAM_H
#define NACRE_TOOLS_COMPILE_PROGRAM_H

namespace nacre::tools {

/// Runs the command line that main() got. Returns the exit status.
int runCompileProgram(int argc, char **argv);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_PROGRAM_H
