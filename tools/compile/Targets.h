// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: one command line for several targets, as what is to be done for each.
// Why:  an Android library has a part for each ABI, all of one name; so a target's files keep their names and go into a
//       folder of the target's.

#ifndef NACRE_TOOLS_COMPILE_TARGETS_H
#define NACRE_TOOLS_COMPILE_TARGETS_H

#include "tools/compile/Options.h"

#include <vector>

namespace nacre::tools {

/// The command line as it is for one target, else one for each. Errors are of names: nothing has been compiled then.
llvm::Expected<std::vector<CommandLine>> forEachTarget(const CommandLine &commandLine);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_TARGETS_H
