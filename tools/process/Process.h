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
  int status = 127; // as a shell has it: 128 + signal if a signal ended the program
  std::string said; // output of both streams, if it was kept

  /// Returns the last line that is not empty.
  std::string lastLine() const;
};

/// Destination of a program's standard output and standard error.
enum class Says {
  Kept,           ///< Returned to the caller.
  Shown,          ///< Shown on this program's streams.
  ShownAsMessages ///< Both streams go to the standard error; the standard output is for other data.
};

/// Runs words[0], a path, with an empty input.
Finished runProgram(const std::vector<std::string> &words, Says says);

/// Returns the path of an executable file in the folders of PATH, or "" if none contains it.
std::string findInPath(const std::string &name);

bool isExecutable(const std::string &path);

/// Returns the folder of this program.
std::string programFolder();

} // namespace nacre::tools

#endif // NACRE_TOOLS_PROCESS_PROCESS_H
