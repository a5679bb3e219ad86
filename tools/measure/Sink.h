// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A receiver of text, and functions that write JSON to it. nacre-run collects a string and nacre-try writes a file, but
// both write the same text. A sink is a function that is called with pieces of text.

#ifndef NACRE_TOOLS_MEASURE_SINK_H
#define NACRE_TOOLS_MEASURE_SINK_H

#include <stddef.h>
#include <stdint.h>

namespace nacre::measure {

struct Sink {
  void (*put)(void *user, const char *text, size_t bytes);
  void *user;
};

/// Writes a text unchanged.
void putText(const Sink &sink, const char *text);

/// Writes formatted numbers and short words, at most 255 bytes.
__attribute__((format(printf, 2, 3))) void putFormat(const Sink &sink, const char *format, ...);

/// Writes a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD.
void putJsonText(const Sink &sink, const char *text, size_t bytes);
void putJsonText(const Sink &sink, const char *text);

/// Returns the number of bytes of the UTF-8 character at the beginning of `text`, or 0 if it is invalid.
size_t characterBytes(const char *text, size_t bytes);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_SINK_H
