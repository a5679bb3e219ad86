// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements json.h.

#include "runtime/src/state/json.h"

namespace nacre::runtime {
namespace {

uint32_t byte_at(const char *at) { return static_cast<unsigned char>(*at); }

} // namespace

const char *behind_spaces(const char *text) {
  while (byte_at(text) - 1 < ' ')
    ++text;
  return text;
}

bool are_alike(const char *one, const char *other) {
  for (bool is_inside = false;; ++one, ++other, is_inside = true) {
    one = behind_spaces(one);
    other = behind_spaces(other);
    if (*one != *other || *one == 0)
      return false;
    if (is_inside && (*one == '"' || *one == ']'))
      return true;
  }
}

bool Json::take(char c) {
  if (next() != c)
    return false;
  ++at;
  return true;
}

void Json::expect(char c) {
  if (!take(c))
    refuse();
}

/// Decodes the character after a backslash. Returns its UTF-8 bytes, with the first byte in the lowest bits. Surrogate
/// pairs ("\ud83d\ude00") are refused, because writers can store such characters as UTF-8.
uint32_t Json::take_escaped() {
  static constexpr char kNames[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
  const char name = *at++;
  if (name != 'u') {
    for (const char *known = kNames; *known; known += 2)
      if (*known == name)
        return byte_at(known + 1);
    return refuse(), 0;
  }
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t digit = byte_at(at++) - '0';
    if (digit > 9) {
      digit = ((digit + '0') | 0x20) - 'a';
      if (digit > 5)
        return refuse(), 0;
      digit += 10;
    }
    code = code << 4 | digit;
  }
  if ((code & 0xf800) == 0xd800)
    return refuse(), 0;
  if (code < 0x80)
    return code;
  uint32_t bytes = 0x80 | (code & 0x3f), lead = 0xc0;
  code >>= 6;
  if (code >= 0x20) {
    bytes = bytes << 8 | 0x80 | (code & 0x3f);
    lead = 0xe0;
    code >>= 6;
  }
  return bytes << 8 | lead | code;
}

bool Json::take_text(const char *other) {
  bool is_other = true;
  expect('"');
  for (;;) {
    uint32_t bytes = byte_at(at++);
    if (bytes == '"')
      return is_other && !*other;
    if (bytes < ' ')
      return refuse(), false;
    if (bytes == '\\')
      bytes = take_escaped();
    do
      is_other = is_other && (bytes & 255) != 0 && byte_at(other++) == (bytes & 255);
    while (bytes >>= 8);
  }
}

void Json::take_value() {
  if (next() == '"') {
    take_text("");
    return;
  }
  expect('[');
  while (!take(']'))
    if (*at++ == 0)
      return refuse();
}

uint64_t Json::take_number() {
  uint64_t number = 0;
  next();
  do {
    const uint32_t digit = byte_at(at++) - '0';
    if (digit > 9 || number >> 59) // The number is larger than any size.
      return refuse(), 0;
    number = number * 10 + digit;
  } while (byte_at(at) - '0' <= 9);
  return number;
}

} // namespace nacre::runtime
