// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see Npy.h.
// Why:   see there.
// How:   the dictionary has three known keys; each is found by its name, and its value read up to its own end.

#include "tools/run/Npy.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace nacre::run {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// What follows `'key':`, blanks skipped; empty if the key is absent.
std::string_view valueOf(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos)
    return {};
  const size_t value = header.find_first_not_of(": ", at + key.size() + 2);
  return value == std::string_view::npos ? std::string_view() : header.substr(value);
}

/// Reads "(2, 3)", "(2,)" or "()".
bool parseShape(std::string_view text, Dims &dims) {
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

/// The header's text and where the elements begin; version 1 has a 16-bit length, later ones 32 bits.
std::optional<std::string_view> splitHeader(std::string_view bytes) {
  const size_t width = bytes.size() > kMagic.size() && bytes[kMagic.size()] == 1 ? 2 : 4;
  const size_t begin = kMagic.size() + 2 + width;
  if (bytes.size() < begin)
    return std::nullopt;
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + begin - width, width); // little endian, as we are
  if (bytes.size() - begin < length)
    return std::nullopt;
  return bytes.substr(begin, length);
}

} // namespace

bool isNpy(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

std::string parseNpy(std::string_view bytes, TensorView &tensor) {
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
  const ElementType *type = findNpyType(name);
  if (!type)
    return "the elements must be numbers or bool, but are '" + std::string(name) + "'";

  tensor.dims.clear();
  if (!parseShape(valueOf(*header, "shape"), tensor.dims))
    return "the .npy header has no valid 'shape'";
  if (valueOf(*header, "fortran_order").substr(0, 4) == "True" && tensor.dims.size() > 1)
    return "the elements must be in C order, but are in Fortran order; save numpy.ascontiguousarray(a)";

  const size_t begin = header->data() + header->size() - bytes.data();
  const std::optional<size_t> count = countElements(tensor.dims);
  if (!count || (bytes.size() - begin) / type->bytes < *count)
    return "the file ends before the last element of " + describe(type->type, tensor.dims);
  tensor.type = type->type;
  tensor.data = bytes.data() + begin;
  tensor.count = *count;
  return "";
}

Outcome writeNpy(const std::string &path, const TensorView &tensor) {
  const ElementType &type = *findElementType(tensor.type);
  std::string header =
      std::string("{'descr': '") + (type.bytes == 1 ? "|" : "<") + type.npy + "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : tensor.dims)
    header += std::to_string(dim) + ",";
  header += "), }";
  const size_t prefix = kMagic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' '); // the elements start on 64 bytes
  header += '\n';
  const uint16_t length = static_cast<uint16_t>(header.size());

  FILE *file = std::fopen(path.c_str(), "wbe");
  bool good = file != nullptr;
  good = good && std::fwrite(kMagic.data(), 1, kMagic.size(), file) == kMagic.size();
  good = good && std::fwrite("\x01\x00", 1, 2, file) == 2 && std::fwrite(&length, 2, 1, file) == 1;
  good = good && std::fwrite(header.data(), 1, header.size(), file) == header.size();
  good = good && std::fwrite(tensor.data, 1, tensor.bytes(), file) == tensor.bytes();
  good = file && std::fclose(file) == 0 && good;
  if (!good)
    return usageFailure("cannot write '" + path + "': " + std::strerror(errno));
  return std::nullopt;
}

} // namespace nacre::run
