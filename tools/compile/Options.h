// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of nacre-compile as a struct. Libraries do no parsing.

#ifndef NACRE_TOOLS_COMPILE_OPTIONS_H
#define NACRE_TOOLS_COMPILE_OPTIONS_H

#include "compiler/options/CompilerOptions.h"
#include "dialects/NamedFiles.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace nacre::tools {

struct CommandLine {
  CompilerOptions compiler;
  NamedFiles files;                 ///< All files that it names. Outputs are added for all targets together.
  bool namesOutput = false;         ///< True if -o is given.
  std::vector<std::string> targets; ///< Targets, at least one; compiler.target is the first.
  std::string reportPath;           ///< Empty: no report is written.
  std::string timeTracePath;        ///< Empty: no trace is written.
  bool check = false;
  bool listWeights = false;
  bool quiet = false;
  bool listDevices = false, listPresets = false, listOperators = false,
       listChips = false; ///< All other requests are empty if one is true.
};

/// Parses the arguments. An error names the wrong argument and its expected value. `--help` and `--version` print and
/// end the process.
llvm::Expected<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_OPTIONS_H
