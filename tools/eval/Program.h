// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-eval without what a process does only once: runs a model of any format without compiling it, in double precision.
// Why:   it says what the numbers are; whatever is compiled is compared with it. The conformance tests run many command lines in one
//        process (test/conformance/Resident.h).

#ifndef NACRE_TOOLS_EVAL_PROGRAM_H
#define NACRE_TOOLS_EVAL_PROGRAM_H

namespace nacre::tools {

/// Runs main's command line. Returns the exit status.
int runEvalProgram(int argc, char **argv);

} // namespace nacre::tools

#endif // NACRE_TOOLS_EVAL_PROGRAM_H
