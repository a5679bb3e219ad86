// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements PrintableText.h. Walks over the UTF-8 characters of the text.

#include "tools/PrintableText.h"
#include "tools/measure/Sink.h"

#include <cstdio>

namespace nacre::tools {
namespace {

/// Returns true for control characters of ASCII and Latin-1, which move the cursor or change the terminal.
bool isControl(std::string_view character) {
  const auto byte = [character](size_t at) { return static_cast<unsigned char>(character[at]); };
  return character.size() == 1 ? byte(0) < 0x20 || byte(0) == 0x7f : byte(0) == 0xc2 && byte(1) < 0xa0;
}

} // namespace

std::string printableText(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const size_t bytes = measure::characterBytes(text.data(), text.size());
    const std::string_view character = text.substr(0, bytes ? bytes : 1);
    if (bytes && !isControl(character)) {
      shown += character;
    } else {
      for (const char c : character) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(c));
        shown += escape;
      }
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

} // namespace nacre::tools
