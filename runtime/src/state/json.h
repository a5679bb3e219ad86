// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON, as much of it as headers of safetensors files have, read character by character.
// Why: such files come from others, too, who order, space and escape as they like, who may err or mean ill.
// How: the text ends in a 0, where nothing is as expected. What is not as expected leaves the reader at a text that is
//      that 0 alone: whoever asked reads on, finds nothing more, and looks once, at the end, whether that is so. Texts
//      are compared as they are decoded, so nothing is allocated or changed, and nothing recurses.

#ifndef NACRE_RUNTIME_SRC_STATE_JSON_H
#define NACRE_RUNTIME_SRC_STATE_JSON_H

#include <stdint.h>

namespace nacre::runtime {

const char *behind_spaces(const char *text);

/// Whether two values, texts or lists, are the same but for spaces.
bool are_alike(const char *one, const char *other);

struct Json {
  static constexpr char kNothing[1] = "";

  const char *at = kNothing;

  void refuse() { at = kNothing; }
  bool is_refused() const { return at == kNothing; }

  /// The next character that is to be seen, or 0.
  char next() { return *(at = behind_spaces(at)); }
  /// Takes that character if it is `c`.
  bool take(char c);
  void expect(char c);
  /// Takes a text, whatever it is; whether it is `other`.
  bool take_text(const char *other);
  /// Takes a text, or all that is in brackets.
  void take_value();
  uint64_t take_number();

private:
  uint32_t take_escaped();
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_JSON_H
