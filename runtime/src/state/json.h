// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the subset of JSON that headers of safetensors files use, character by character.
// Why: other programs also write such files. The files may have other orders, spaces and escapes, contain errors, or be
//      malicious.
// How: the text ends in a 0. After an error, the reader continues in an empty text, in which all later calls fail. So
//      the caller needs only one check, at the end. Texts are compared while they are decoded. So the reader needs no
//      memory, does not change the text, and is not recursive.

#ifndef NACRE_RUNTIME_SRC_STATE_JSON_H
#define NACRE_RUNTIME_SRC_STATE_JSON_H

#include <stdint.h>

namespace nacre::runtime {

const char *behind_spaces(const char *text);

/// True if two JSON values (texts or lists) are equal except for spaces.
bool are_alike(const char *one, const char *other);

struct Json {
  static constexpr char kNothing[1] = "";

  const char *at = kNothing;

  void refuse() { at = kNothing; }
  bool is_refused() const { return at == kNothing; }

  /// Returns the next character after spaces, or 0 at the end.
  char next() { return *(at = behind_spaces(at)); }
  /// Takes the next character if it is `c`. Returns true if it was `c`.
  bool take(char c);
  void expect(char c);
  /// Takes the next text, which may be any. Returns true if it equals `other`.
  bool take_text(const char *other);
  /// Takes a text, or everything within brackets.
  void take_value();
  uint64_t take_number();

private:
  uint32_t take_escaped();
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_JSON_H
