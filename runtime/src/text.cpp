// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements text.h. A character is appended only if there is also room for the 0 at the end.

#include "runtime/src/text.h"

namespace nacre::runtime {

AnyText &AnyText::operator<<(const char *piece) {
  auto *text = reinterpret_cast<char *>(this + 1);
  while (*piece && length + 1 < capacity)
    text[length++] = *piece++;
  text[length] = 0;
  return *this;
}

AnyText &AnyText::operator<<(uint64_t number) {
  char digits[21];
  char *first = digits + sizeof digits;
  *--first = 0;
  do
    *--first = char('0' + number % 10);
  while (number /= 10);
  return *this << static_cast<const char *>(first);
}

} // namespace nacre::runtime
