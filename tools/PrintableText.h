// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  names of other people's for terminals.
// Why:   a control character moves a terminal's cursor, or worse.

#ifndef NACRE_TOOLS_PRINTABLETEXT_H
#define NACRE_TOOLS_PRINTABLETEXT_H

#include <string>
#include <string_view>

namespace nacre::tools {

/// Returns `text` with its control characters and what is no UTF-8 as \xNN, byte by byte, as nacre-compile shows names.
std::string printableText(std::string_view text);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PRINTABLETEXT_H
