// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes names from strangers safe for terminals, where control characters can move the cursor or worse.

#ifndef NACRE_TOOLS_PRINTABLETEXT_H
#define NACRE_TOOLS_PRINTABLETEXT_H

#include <string>
#include <string_view>

namespace nacre::tools {

/// Returns `text` with control characters and invalid UTF-8 as \xNN, byte by byte, as nacre-compile shows names.
std::string printableText(std::string_view text);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PRINTABLETEXT_H
