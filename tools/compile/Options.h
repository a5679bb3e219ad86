// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of nacre-compile as a struct. Only the program parses options, not its libraries.

#ifndef NACRE_TOOLS_COMPILE_OPTIONS_H
#define NACRE_TOOLS_COMPILE_OPTIONS_H

#include "compiler/options/CompilerOptions.h"
#include "dialects/NamedFiles.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace nacre::tools {

struct CommandLine {
  CompilerOptions compiler;
  NamedFiles files;                 ///< All files that the command line names. Outputs are added later, for all targets
                                    ///< together.
  bool namesOutput = false;         ///< True if -o is given.
  std::vector<std::string> targets; ///< Targets, at least one; compiler.target is the first.
  std::string reportPath;           ///< Path of the report; empty: no report is written.
  std::string timeTracePath;        ///< Path of the time trace; empty: no trace is written.
  bool check = false;
  bool listWeights = false;
  bool quiet = false;
  bool listDevices = false, listPresets = false, listOperators = false,
       listChips = false; ///< Requests for lists. If one is true, all other fields are empty.
};

/// Parses the arguments. An error names the wrong argument and its expected value. `--help` and `--version` print and
/// end the process.
llvm::Expected<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_OPTIONS_H
