// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --help says behind the options: words that they take, examples, exit status. The manual page and what shells
// complete are made of it, too.

#ifndef NACRE_TOOLS_COMPILE_HELPTEXT_H
#define NACRE_TOOLS_COMPILE_HELPTEXT_H

#include <string>

namespace nacre::tools {

std::string helpEpilogue();

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_HELPTEXT_H
