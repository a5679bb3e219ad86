// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  prints a count with its noun: "1 launch", "2 launches".
// Why:   messages and reports of the compiler and of nacre-run print many counts, and each of these may be 1.
// How:   the code uses only the standard library, because nacre-run is linked without LLVM.

#ifndef NACRE_DIALECTS_COUNT_H
#define NACRE_DIALECTS_COUNT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace nacre {

/// Returns the plural of an English noun, such as steps, launches, axes. The rules are sufficient for the nouns in
/// messages.
inline std::string pluralOf(std::string_view noun) {
  const auto endsWith = [&](std::string_view end) {
    return noun.size() > end.size() && noun.substr(noun.size() - end.size()) == end;
  };
  if (noun == "epoch") // The "ch" of "epoch" is a k.
    return "epochs";
  if (endsWith("is"))
    return std::string(noun.substr(0, noun.size() - 2)) + "es";
  return std::string(noun) + (endsWith("ch") || endsWith("sh") || endsWith("s") || endsWith("x") ? "es" : "s");
}

/// Returns the count and its noun: "1 element", "2 elements", "0 elements".
inline std::string describeCount(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + (count == 1 ? std::string(noun) : pluralOf(noun));
}

} // namespace nacre

#endif // NACRE_DIALECTS_COUNT_H
