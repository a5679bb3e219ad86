// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a command line for several targets into a command line for each target. An Android library has a part for each
// ABI, and all parts have the same name. So the files of each target keep their names, but are in a folder of the
// target.

#ifndef NACRE_TOOLS_COMPILE_TARGETS_H
#define NACRE_TOOLS_COMPILE_TARGETS_H

#include "tools/compile/Options.h"

#include <vector>

namespace nacre::tools {

/// Returns a command line for each target. Reports an error about the names of outputs before anything is compiled.
llvm::Expected<std::vector<CommandLine>> forEachTarget(const CommandLine &commandLine);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_TARGETS_H
