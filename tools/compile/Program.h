// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-compile without what a process does only once.
// Why:   the conformance tests run many command lines in one process (test/conformance/Resident.h).

#ifndef NACRE_TOOLS_COMPILE_PROGRAM_H
#define NACRE_TOOLS_COMPILE_PROGRAM_H

namespace nacre::tools {

/// Runs main's command line. Returns the exit status.
int runCompileProgram(int argc, char **argv);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_PROGRAM_H
