// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/run/session/Text.h"

#include <cstdio>

namespace nacre::run {
measure::Sink sinkOf(std::string &text) {
  return {[](void *user, const char *piece, size_t bytes) { static_cast<std::string *>(user)->append(piece, bytes); },
          &text};
}

std::string jsonText(std::string_view text) {
  std::string quoted;
  measure::putJsonText(sinkOf(quoted), text.data(), text.size());
  return quoted;
}

std::string member(const char *name, const std::string &json) { return std::string("\"") + name + "\": " + json; }

std::string member(const char *name, uint64_t value) { return member(name, std::to_string(value)); }

std::string exactText(float number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  return text;
}

} // namespace nacre::run
