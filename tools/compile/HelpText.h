// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of --help: options by task, words that they accept, examples, and exit status. The manual page and
// completions for shells are made from it, too.

#ifndef NACRE_TOOLS_COMPILE_HELPTEXT_H
#define NACRE_TOOLS_COMPILE_HELPTEXT_H

#include "tools/Help.h"

#include "llvm/ADT/ArrayRef.h"

namespace nacre::tools {

/// Returns the help, in which each category lists its options in the order of their declaration. The options must be
/// members of one object.
Help describeOptions(llvm::ArrayRef<const llvm::cl::OptionCategory *> categories);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_HELPTEXT_H
