// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  names and numbers of a model, for terminals and in JSON.
// Why:   names are the model's author's: a control character moves a terminal's cursor, and bytes that are no UTF-8 are no JSON.

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

/// `text` as a JSON string, quotes included. What is no UTF-8 is replaced by U+FFFD.
std::string jsonText(std::string_view text);

/// A member of a JSON object; the text is JSON.
std::string member(const char *name, const std::string &json);
std::string member(const char *name, uint64_t value);

/// A number with the digits that make the same float again.
std::string exactText(float number);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_TEXT_H
