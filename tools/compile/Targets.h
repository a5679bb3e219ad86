// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a command line for several targets into one for each. An Android library has a part for each ABI, all with the
// same name. So the files of each target keep their names, in a folder of the target.

#ifndef NACRE_TOOLS_COMPILE_TARGETS_H
#define NACRE_TOOLS_COMPILE_TARGETS_H

#include "tools/compile/Options.h"

#include <vector>

namespace nacre::tools {

/// Returns the command line for its only target, or one for each of several. Errors concern names; nothing is compiled
/// before.
llvm::Expected<std::vector<CommandLine>> forEachTarget(const CommandLine &commandLine);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_TARGETS_H
