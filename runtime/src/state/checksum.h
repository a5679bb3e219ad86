// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CRC-32C of bytes that arrive in pieces.
// Why: a file that is truncated or has a flipped bit must not become a state.
// How: one byte at a time, by a table that is built when needed: 1 KiB of stack, no bytes in the library.

#ifndef NACRE_RUNTIME_SRC_STATE_CHECKSUM_H
#define NACRE_RUNTIME_SRC_STATE_CHECKSUM_H

#include <stdint.h>

namespace nacre::runtime {

class Checksum {
public:
  Checksum() {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t rest = byte;
      for (int bit = 0; bit < 8; ++bit)
        rest = rest >> 1 ^ (rest & 1 ? 0x82f63b78u : 0);
      table[byte] = rest;
    }
  }

  __attribute__((noinline)) void add(const char *from, const char *end) {
    for (; from != end; ++from)
      rest = rest >> 8 ^ table[(rest ^ static_cast<unsigned char>(*from)) & 255];
  }

  /// Returns the checksum of all bytes added so far, as hexadecimal digits that end in 0.
  const char *text() {
    uint32_t number = ~rest;
    for (int i = kDigits; i-- > 0; number >>= 4)
      digits[i] = "0123456789abcdef"[number & 15];
    return digits;
  }

private:
  static constexpr int kDigits = 8;
  uint32_t table[256];
  uint32_t rest = ~uint32_t(0);
  char digits[kDigits + 1] = {};
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_CHECKSUM_H
