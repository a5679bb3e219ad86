// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs many command lines of nacre-compile or nacre-eval in one process, for run.py.
// Why: for most cases, starting a process and initializing LLVM take longer than the compilation.
// How: a worker process runs command lines. When it ends, its parent starts another worker. If it ended during a
//      command line, the parent sends the answer. A request is a line with a JSON array of arguments. An answer is a
//      line with the exit status, or with the negated signal number. Command lines print to the standard error, which
//      must be a file. The file is emptied before each command line.

#ifndef NACRE_TEST_CONFORMANCE_RESIDENT_H
#define NACRE_TEST_CONFORMANCE_RESIDENT_H

namespace nacre::conformance {

/// Answers requests from the standard input until it ends, by calls of `program`. `name` is the program's name in each
/// command line. `argv[1]` is the limit of a command line in seconds. Returns the exit status.
int serve(int argc, char **argv, const char *name, int (*program)(int argc, char **argv));

} // namespace nacre::conformance

#endif // NACRE_TEST_CONFORMANCE_RESIDENT_H
