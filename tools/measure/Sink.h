// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a receiver of text, and JSON that is written to it.
// Why:   nacre-run collects a string, nacre-try writes a file: the text is the same.
// How:   a function that takes pieces.

#ifndef NACRE_TOOLS_MEASURE_SINK_H
#define NACRE_TOOLS_MEASURE_SINK_H

#include <stddef.h>
#include <stdint.h>

namespace nacre::measure {

struct Sink {
  void (*put)(void *user, const char *text, size_t bytes);
  void *user;
};

/// Writes a text as it is.
void putText(const Sink &sink, const char *text);

/// Writes formatted numbers and short words, 255 bytes at most.
__attribute__((format(printf, 2, 3))) void putFormat(const Sink &sink, const char *format, ...);

/// Writes a JSON string, quotes included. What is no UTF-8 becomes U+FFFD.
void putJsonText(const Sink &sink, const char *text, size_t bytes);
void putJsonText(const Sink &sink, const char *text);

/// Returns the bytes of the UTF-8 character that the text begins with; 0 if it begins with none.
size_t characterBytes(const char *text, size_t bytes);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_SINK_H
