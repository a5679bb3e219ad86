// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Npy.h. The dictionary has three known keys. Each key is searched by name, and the syntax of its value decides
// where the value ends.

#include "compiler/import/npy/Npy.h"

#include <charconv>
#include <cstring>
#include <optional>

namespace nacre::npy {
namespace {

struct Row {
  const char *name;
  Element element;
};

/// Names of element types in numpy, without the byte order.
constexpr Row kRows[] = {
    {"f2", {Kind::Float, 2}},    {"f4", {Kind::Float, 4}},    {"f8", {Kind::Float, 8}},    {"b1", {Kind::Bool, 1}},
    {"i1", {Kind::Signed, 1}},   {"i2", {Kind::Signed, 2}},   {"i4", {Kind::Signed, 4}},   {"i8", {Kind::Signed, 8}},
    {"u1", {Kind::Unsigned, 1}}, {"u2", {Kind::Unsigned, 2}}, {"u4", {Kind::Unsigned, 4}}, {"u8", {Kind::Unsigned, 8}},
    {"V2", {Kind::Bfloat, 2}},
};

const Element *findElement(std::string_view name) {
  for (const Row &row : kRows)
    if (row.name == name)
      return &row.element;
  return nullptr;
}

/// Returns the text after `'key':` without blanks, or an empty text if the key does not exist.
std::string_view valueOf(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos)
    return {};
  const size_t value = header.find_first_not_of(": ", at + key.size() + 2);
  return value == std::string_view::npos ? std::string_view() : header.substr(value);
}

/// Parses a shape: "(2, 3)", "(2,)" or "()".
bool parseShape(std::string_view text, std::vector<int64_t> &dims) {
  const size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos)
    return false;
  const char *at = text.data() + 1, *end = text.data() + close;
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t dim = 0;
    const auto [next, error] = std::from_chars(at, end, dim);
    if (error != std::errc() || dim < 0)
      return false;
    dims.push_back(dim);
    at = next;
  }
  return true;
}

/// Returns the text of the header. The elements follow it. Its length has 16 bits in version 1, and 32 bits in later
/// versions.
std::optional<std::string_view> splitHeader(std::string_view bytes) {
  const size_t width = bytes.size() > kMagic.size() && bytes[kMagic.size()] == 1 ? 2 : 4;
  const size_t begin = kMagic.size() + 2 + width;
  if (bytes.size() < begin)
    return std::nullopt;
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + begin - width, width); // little endian, like all supported hosts
  if (bytes.size() - begin < length)
    return std::nullopt;
  return bytes.substr(begin, length);
}

/// Sets the count of elements. Returns false if the count overflows, or if `data` is too short.
bool countElements(std::string_view data, Array &array) {
  array.count = 1;
  for (int64_t dim : array.dims)
    if (__builtin_mul_overflow(array.count, static_cast<size_t>(dim), &array.count))
      return false;
  return data.size() / array.element.bytes >= array.count;
}

} // namespace

std::string parse(std::string_view bytes, Array &array) {
  if (bytes.substr(0, kMagic.size()) != kMagic)
    return "is not a .npy file";
  const std::optional<std::string_view> header = splitHeader(bytes);
  if (!header)
    return "the .npy header is truncated";

  const std::string_view descr = valueOf(*header, "descr");
  const size_t close = descr.empty() ? descr.npos : descr.find(descr[0], 1);
  if (close == descr.npos || close < 2)
    return "the .npy header has no simple 'descr'";
  if (descr[1] == '>')
    return "the elements must be little endian, but are big endian; save with .astype('<' ...)";
  const std::string_view name = descr.substr(2, close - 2);
  const Element *element = findElement(name);
  if (!element)
    return "the elements must be numbers or bool, but are '" + std::string(name) + "'";
  array.element = *element;

  array.dims.clear();
  if (!parseShape(valueOf(*header, "shape"), array.dims))
    return "the .npy header has no valid 'shape'";
  if (valueOf(*header, "fortran_order").substr(0, 4) == "True" && array.dims.size() > 1)
    return "the elements must be in C order, but are in Fortran order; save numpy.ascontiguousarray(a)";

  const auto begin = static_cast<size_t>(header->data() + header->size() - bytes.data());
  if (!countElements(bytes.substr(begin), array))
    return "the .npy file ends before its last element";
  array.data = bytes.data() + begin;
  return "";
}

} // namespace nacre::npy
