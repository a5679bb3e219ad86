// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs another program, such as adb or nacre-report, to its end. It uses posix_spawn without a shell. Ctrl-C ends the
// other program, too.

#ifndef NACRE_TOOLS_PROCESS_PROCESS_H
#define NACRE_TOOLS_PROCESS_PROCESS_H

#include <string>
#include <vector>

namespace nacre::tools {

struct Finished {
  int status = 127; // as in a shell: exit status, or 128 + signal if a signal ended the program
  std::string said; // output of both streams, if Says::Kept

  /// Returns the last line of the output that is not empty.
  std::string lastLine() const;
};

/// Destination of a program's standard output and standard error.
enum class Says {
  Kept,           ///< Returned to the caller.
  Shown,          ///< Shown on this program's streams.
  ShownAsMessages ///< Both streams go to the standard error; the standard output is for other data.
};

/// Runs the program with the path words[0] and the arguments after it. Its standard input is empty.
Finished runProgram(const std::vector<std::string> &words, Says says);

/// Returns the path of an executable file in the folders of PATH, or "" if none contains it.
std::string findInPath(const std::string &name);

bool isExecutable(const std::string &path);

/// Returns the folder of this program.
std::string programFolder();

} // namespace nacre::tools

#endif // NACRE_TOOLS_PROCESS_PROCESS_H
