// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/measure/Sink.h"
#include "tools/measure/Libc.h"

namespace nacre::measure {

size_t characterBytes(const char *text, size_t available) {
  const auto byte = [text](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  const size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (bytes > available)
    return 0;
  for (size_t at = 1; at < bytes; ++at)
    if ((byte(at) & 0xc0) != 0x80)
      return 0;
  // An overlong encoding, half of a UTF-16 pair, or a number beyond Unicode.
  const bool bad = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) ||
                   (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) >= 0x90);
  return bad ? 0 : bytes;
}

void putText(const Sink &sink, const char *text) { sink.put(sink.user, text, strlen(text)); }

void putFormat(const Sink &sink, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  putText(sink, text);
}

void putJsonText(const Sink &sink, const char *text, size_t left) {
  putText(sink, "\"");
  while (left > 0) {
    const unsigned char c = static_cast<unsigned char>(text[0]);
    const size_t bytes = characterBytes(text, left);
    if (bytes == 0) {
      putText(sink, "\\ufffd");
    } else if (c < 0x20) {
      putFormat(sink, "\\u%04x", c);
    } else {
      if (c == '"' || c == '\\')
        putText(sink, "\\");
      sink.put(sink.user, text, bytes);
    }
    const size_t read = bytes ? bytes : 1;
    text += read;
    left -= read;
  }
  putText(sink, "\"");
}

void putJsonText(const Sink &sink, const char *text) { putJsonText(sink, text, strlen(text)); }

} // namespace nacre::measure
