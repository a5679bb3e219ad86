// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text of bounded length, built piece by piece; also functions on C strings and bytes.
// Why: reasons and paths are built where memory must not be allocated, and printf depends on locales and errno.
// How: characters that do not fit are cut off. The text always ends in 0.

#ifndef NACRE_RUNTIME_SRC_TEXT_H
#define NACRE_RUNTIME_SRC_TEXT_H

#include <stddef.h>
#include <stdint.h>

namespace nacre::runtime {

inline bool equal(const char *a, const char *b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a == *b;
}

inline bool equal_bytes(const void *a, const void *b, size_t bytes) {
  auto *left = static_cast<const char *>(a);
  auto *right = static_cast<const char *>(b);
  for (; bytes; --bytes)
    if (*left++ != *right++)
      return false;
  return true;
}

/// Copies `from`, or as much of it as `to` has room for, and ends it with 0.
inline void copy_text(char *to, size_t capacity, const char *from) {
  if (capacity == 0)
    return;
  size_t length = 0;
  for (; length + 1 < capacity && from[length]; ++length)
    to[length] = from[length];
  to[length] = 0;
}

/// Base of texts of all capacities; the characters follow the object. It is not a template, so its code exists only
/// once.
class AnyText {
public:
  AnyText &operator<<(const char *piece);
  AnyText &operator<<(uint64_t number);

protected:
  explicit AnyText(uint32_t capacity) : capacity(capacity) {}

private:
  uint32_t capacity, length = 0;
};

template <size_t Capacity> class Text : public AnyText {
public:
  Text() : AnyText(Capacity) { text[0] = 0; } // All other characters are written before they are read.

  const char *c_str() const { return text; }

private:
  char text[Capacity];
};

/// Reason of a failure. Most files use this type, so only reason.cpp instantiates its functions.
using Reason = Text<256>;
extern template class Text<256>;

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_TEXT_H
