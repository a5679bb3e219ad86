// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see file_header.h: the reader.
// Why:   see there.
// How:   a decoded text is never longer than it was, so it takes its place.

#include "runtime/src/state/file_header.h"

namespace nacre::runtime {
namespace {

uint32_t digit_of(char c) {
  uint32_t digit = uint32_t(c) - '0';
  if (digit > 9) {
    digit = (uint32_t(c) | 0x20) - 'a' + 10;
    if (digit < 10)
      digit = 16;
  }
  return digit;
}

/// Behind "\u": a character as UTF-8. What needs two of these is refused; writers have other ways to say it.
bool take_character(Json &json, char *&to) {
  uint64_t code;
  if (json.end - json.at < 4 || !read_hex({json.at, 4}, 4, code) || (code & 0xf800) == 0xd800)
    return false;
  json.at += 4;
  if (code >= 0x800)
    *to++ = char(0xe0 | code >> 12);
  if (code >= 0x80)
    *to++ = char(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6);
  *to++ = char(code >= 0x80 ? 0x80 | (code & 0x3f) : code);
  return true;
}

/// Behind a backslash.
bool take_escaped(Json &json, char *&to) {
  static constexpr char kNames[] = "\"\\/bfnrt", kMeant[] = "\"\\/\b\f\n\r\t";
  if (json.at == json.end)
    return false;
  const char name = *json.at++;
  if (name == 'u')
    return take_character(json, to);
  for (uint32_t i = 0; kNames[i]; ++i)
    if (kNames[i] == name) {
      *to++ = kMeant[i];
      return true;
    }
  return false;
}

/// `[`, numbers, `]`: the last of them, and how many.
bool take_list(Json &json, uint64_t (&last)[2], uint64_t &count) {
  count = 0;
  if (!json.take('['))
    return false;
  if (json.take(']'))
    return true;
  do {
    last[0] = last[1];
    ++count;
    if (!json.take_number(last[1]))
      return false;
  } while (json.take(','));
  return json.take(']');
}

} // namespace

bool Piece::is(const char *other) const {
  uint64_t i = 0;
  while (i < length && other[i] && text[i] == other[i])
    ++i;
  return i == length && !other[i];
}

bool read_hex(const Piece &piece, uint64_t digits, uint64_t &number) {
  number = 0;
  uint64_t i = 0;
  for (; i < piece.length && digit_of(piece.text[i]) < 16; ++i)
    number = number << 4 | digit_of(piece.text[i]);
  return i == piece.length && i == digits;
}

bool Json::take_end() {
  while (at != end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
    ++at;
  return at == end;
}

bool Json::take(char c) {
  if (take_end() || *at != c)
    return false;
  ++at;
  return true;
}

bool Json::take_text(Piece &piece) {
  if (!take('"'))
    return false;
  char *to = at;
  piece.text = at;
  while (at != end) {
    const char c = *at++;
    piece.length = uint64_t(to - piece.text);
    if (c == '"')
      return true;
    if (static_cast<unsigned char>(c) < 0x20)
      return false;
    if (c != '\\')
      *to++ = c;
    else if (!take_escaped(*this, to))
      return false;
  }
  return false;
}

bool Json::take_name(Piece &piece) { return take_text(piece) && take(':'); }

bool Json::take_number(uint64_t &number) {
  if (take_end() || digit_of(*at) > 9)
    return false;
  number = 0;
  for (; at != end && digit_of(*at) <= 9; ++at) {
    if (number > UINT64_MAX / 10 - 1) // no size of anything is so large
      return false;
    number = number * 10 + digit_of(*at);
  }
  return true;
}

bool take_tensor(Json &json, FileTensor &tensor) {
  static constexpr char kKeys[][16] = {"dtype", "shape", "data_offsets"};
  uint64_t numbers[2] = {}, count = 0;
  uint32_t seen = 0;
  if (!json.take('{'))
    return false;
  do {
    Piece key;
    uint32_t which = 0;
    if (!json.take_name(key))
      return false;
    while (which < 3 && !key.is(kKeys[which]))
      ++which;
    if (which == 3 || (seen & 1u << which) != 0)
      return false;
    seen |= 1u << which;
    if (which == 1)
      tensor.shape = json.at;
    if (which == 0 ? !json.take_text(tensor.type) : !take_list(json, numbers, count))
      return false;
    if (which == 2) {
      tensor.begin = numbers[0];
      tensor.end = numbers[1];
      if (count != 2)
        return false;
    }
  } while (json.take(','));
  return seen == 7 && json.take('}') && tensor.begin <= tensor.end;
}

bool is_alike(const nacre_model_table &model, const nacre_variable &variable, const FileTensor &tensor,
              char *header_end) {
  const char *type = type_name(variable);
  Json json = {tensor.shape, header_end};
  bool alike = tensor.type.is(*type ? type : "U8") && tensor.end - tensor.begin == variable.tensor.bytes;
  json.take('[');
  for (uint32_t axis = 0; alike && axis < (*type ? variable.tensor.rank : 1); ++axis) {
    uint64_t extent = 0;
    alike = json.take_number(extent) &&
            extent == (*type ? uint64_t(model.dims[variable.tensor.first_dim + axis]) : variable.tensor.bytes);
    json.take(',');
  }
  return alike && json.take(']');
}

} // namespace nacre::runtime
