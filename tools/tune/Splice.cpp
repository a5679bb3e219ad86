// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the characters once, and keeps track of strings and nesting depth. The value begins after the name at
// depth one, and ends at the next comma or brace at this depth.

#include "tools/tune/Splice.h"

namespace nacre::tune {

namespace {

/// Returns the position after the string that begins at `at`, or npos if it does not end.
size_t skipText(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    at += json[at] == '\\';
  return at < json.size() ? at + 1 : std::string_view::npos;
}

} // namespace

std::optional<std::string_view> findMember(std::string_view object, std::string_view name) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::string quoted = '"' + std::string(name) + '"';
  int depth = 0;
  size_t begin = 0; // position of the value; 0 until it is found
  for (size_t at = 0; at < object.size();) {
    const char c = object[at];
    if (c == '"') {
      const size_t end = skipText(object, at);
      if (end == std::string_view::npos)
        return std::nullopt;
      const size_t colon = object.find_first_not_of(kSpace, end);
      if (!begin && depth == 1 && object.substr(at, end - at) == quoted && colon != std::string_view::npos &&
          object[colon] == ':')
        begin = object.find_first_not_of(kSpace, colon + 1);
      at = end;
      continue;
    }
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (begin && begin != std::string_view::npos && at >= begin && ((c == ',' && depth == 1) || depth == 0)) {
      const size_t end = object.find_last_not_of(kSpace, at - 1) + 1;
      return object.substr(begin, end - begin);
    }
    ++at;
  }
  return std::nullopt;
}

std::optional<std::string> replaceMember(std::string_view object, std::string_view name, std::string_view value) {
  const std::optional<std::string_view> found = findMember(object, name);
  if (!found)
    return std::nullopt;
  const size_t begin = found->data() - object.data();
  return std::string(object.substr(0, begin)) + std::string(value) + std::string(object.substr(begin + found->size()));
}

std::optional<std::string> setMember(std::string_view object, std::string_view name, std::string_view value) {
  if (std::optional<std::string> replaced = replaceMember(object, name, value))
    return replaced;
  const size_t brace = object.find('{');
  if (brace == std::string_view::npos)
    return std::nullopt;
  const size_t next = object.find_first_not_of(" \t\r\n", brace + 1);
  if (next == std::string_view::npos)
    return std::nullopt;
  return std::string(object.substr(0, brace + 1)) + '"' + std::string(name) + "\": " + std::string(value) +
         (object[next] == '}' ? "" : ", ") + std::string(object.substr(next));
}

} // namespace nacre::tune
