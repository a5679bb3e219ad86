// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats names and numbers of a model for terminals and JSON. Names may contain any bytes: control characters could
// move a terminal's cursor, and JSON does not allow invalid UTF-8.

#ifndef NACRE_TOOLS_RUN_SESSION_TEXT_H
#define NACRE_TOOLS_RUN_SESSION_TEXT_H

#include "tools/PrintableText.h"
#include "tools/measure/Sink.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace nacre::run {

using tools::printableText;

/// Returns a sink that appends to the text.
measure::Sink sinkOf(std::string &text);

/// Returns `text` as a JSON string with quotes. Invalid UTF-8 becomes U+FFFD.
std::string jsonText(std::string_view text);

/// Return the text of a member of a JSON object: its name and value. `json` must be valid JSON.
std::string member(const char *name, const std::string &json);
std::string member(const char *name, uint64_t value);

/// Returns a number with enough digits to restore the same float.
std::string exactText(float number);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_TEXT_H
