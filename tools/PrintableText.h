// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes names from models safe for terminals, in which control characters can move the cursor or do worse.

#ifndef NACRE_TOOLS_PRINTABLETEXT_H
#define NACRE_TOOLS_PRINTABLETEXT_H

#include <string>
#include <string_view>

namespace nacre::tools {

/// Returns `text` with each byte of control characters and invalid UTF-8 written as \xNN, like names in messages of
/// nacre-compile.
std::string printableText(std::string_view text);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PRINTABLETEXT_H
