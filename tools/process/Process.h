// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  runs another program to its end.
// Why:   adb and nacre-report are programs.
// How:   posix_spawn, without a shell. Ctrl-C ends the other program, too.

#ifndef NACRE_TOOLS_PROCESS_PROCESS_H
#define NACRE_TOOLS_PROCESS_PROCESS_H

#include <string>
#include <vector>

namespace nacre::tools {

struct Finished {
  int status = 127; // as a shell has it: 128 and the signal, if one ended the program
  std::string said; // by both streams, if they were kept

  /// Returns the last line that is not empty.
  std::string lastLine() const;
};

/// Destination of a program's standard output and standard error.
enum class Says {
  Kept,           ///< To the caller.
  Shown,          ///< Where ours goes.
  ShownAsMessages ///< Both to our standard error: our standard output is for something else.
};

/// Runs words[0], a path. Its input is empty.
Finished runProgram(const std::vector<std::string> &words, Says says);

/// Returns the path of an executable file in the folders of PATH; "" if none has it.
std::string findInPath(const std::string &name);

bool isExecutable(const std::string &path);

/// Returns the folder of this program.
std::string programFolder();

} // namespace nacre::tools

#endif // NACRE_TOOLS_PROCESS_PROCESS_H
