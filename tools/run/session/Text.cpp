// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see Text.h.
// Why:   see there.
// How:   character by character of UTF-8.

#include "tools/run/session/Text.h"

#include <cstdio>

namespace nacre::run {
namespace {

/// Bytes of the UTF-8 character that `text` begins with; 0 where it begins with none.
size_t characterBytes(std::string_view text) {
  const auto byte = [text](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  const size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (bytes > text.size())
    return 0;
  for (size_t at = 1; at < bytes; ++at)
    if ((byte(at) & 0xc0) != 0x80)
      return 0;
  // A shorter way to write the same, half of a UTF-16 pair, or more than Unicode has.
  const bool bad = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) ||
                   (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) >= 0x90);
  return bad ? 0 : bytes;
}

/// Whether a character moves the cursor or worse: ASCII's control characters, and those of Latin-1.
bool isControl(std::string_view character) {
  const auto byte = [character](size_t at) { return static_cast<unsigned char>(character[at]); };
  return character.size() == 1 ? byte(0) < 0x20 || byte(0) == 0x7f : byte(0) == 0xc2 && byte(1) < 0xa0;
}

} // namespace

std::string jsonText(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const unsigned char c = text[0];
    const size_t bytes = characterBytes(text);
    if (bytes == 0) {
      quoted += "\\ufffd";
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      quoted += escape;
    } else {
      if (c == '"' || c == '\\')
        quoted += '\\';
      quoted += text.substr(0, bytes);
    }
    text.remove_prefix(bytes ? bytes : 1);
  }
  return quoted + '"';
}

std::string member(const char *name, const std::string &json) { return std::string("\"") + name + "\": " + json; }

std::string member(const char *name, uint64_t value) { return member(name, std::to_string(value)); }

std::string exactText(float number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  return text;
}

std::string printableText(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const size_t bytes = characterBytes(text);
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

} // namespace nacre::run
