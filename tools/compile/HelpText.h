// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --help says: the options by task, words that they take, examples, exit status. The manual page and what shells
// complete are made of it, too.

#ifndef NACRE_TOOLS_COMPILE_HELPTEXT_H
#define NACRE_TOOLS_COMPILE_HELPTEXT_H

#include "tools/Help.h"

#include "llvm/ADT/ArrayRef.h"

namespace nacre::tools {

/// Lists the options of each category in the order of their declaration. They must be members of one object.
Help describeOptions(llvm::ArrayRef<const llvm::cl::OptionCategory *> categories);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_HELPTEXT_H
