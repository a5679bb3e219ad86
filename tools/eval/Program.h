// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one command line of nacre-eval, which runs a model of any format in double precision, without compiling it.
// Compiled models are compared with its results. main() only prepares the process.
// Why: the conformance tests run many command lines in one process (test/conformance/Resident.h).

#ifndef NACRE_TOOLS_EVAL_PROGRAM_H
#define NACRE_TOOLS_EVAL_PROGRAM_H

namespace nacre::tools {

/// Runs the command line that main() got. Returns the exit status.
int runEvalProgram(int argc, char **argv);

} // namespace nacre::tools

#endif // NACRE_TOOLS_EVAL_PROGRAM_H
