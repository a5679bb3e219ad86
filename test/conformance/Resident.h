// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  runs many command lines of a program of ours in one process, for run.py.
// Why:   starting nacre-compile, and what LLVM does on its first compilation, take more time than compiling most of the cases.
// How:   a worker runs command lines; its parent starts another one when it ends, and says how the command line ended during
//        which it did. Each request is a line with a JSON array of arguments, each answer a line with the exit status, or minus
//        the signal. Whatever a command line prints goes to the standard error, which is a file that is emptied before it.

#ifndef NACRE_TEST_CONFORMANCE_RESIDENT_H
#define NACRE_TEST_CONFORMANCE_RESIDENT_H

namespace nacre::conformance {

/// Answers requests until the standard input ends, as the main of `program`, whose name the command lines see. Returns the exit status.
int serve(int argc, char **argv, const char *name, int (*program)(int argc, char **argv));

} // namespace nacre::conformance

#endif // NACRE_TEST_CONFORMANCE_RESIDENT_H
