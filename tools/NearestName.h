// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the known name that is nearest to a mistyped name. All programs print "did you mean" under the same conditions;
// LLVM would suggest a name even if it hardly resembles the word. The distance is the number of letters that are added,
// omitted, replaced or swapped with a neighbour. It may be at most a third of the letters, or 1 for short names. This
// header uses only the standard library, because nacre-run is linked without LLVM.

#ifndef NACRE_TOOLS_NEARESTNAME_H
#define NACRE_TOOLS_NEARESTNAME_H

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace nacre::tools {

/// Returns the number of letters that must be added, removed, replaced or swapped with their neighbour to change `b` to
/// `a`.
inline size_t typingDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> older, before(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    older = before;
    before = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({row[j - 1] + 1, before[j] + 1, before[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row.back();
}

/// Returns the nearest candidate, or the first of several. Returns "" if all differ in more than a third of the letters
/// of `name`.
inline std::string nearestName(std::string_view name, const std::vector<std::string> &candidates) {
  std::string nearest;
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string &candidate : candidates)
    if (const size_t distance = typingDistance(name, candidate); distance < least) {
      nearest = candidate;
      least = distance;
    }
  return nearest;
}

/// Returns "; did you mean '<the nearest candidate>'?", or "" if all differ too much.
inline std::string didYouMean(std::string_view name, const std::vector<std::string> &candidates) {
  const std::string nearest = name.size() > 100 ? "" : nearestName(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

/// Returns the message about the unknown option `name`, which has no dashes. `options` are the known options.
inline std::string unknownOption(std::string_view name, const std::vector<std::string> &options) {
  const std::string nearest = name.size() > 100 ? "" : nearestName(name, options);
  return "unknown option '--" + std::string(name) + "'; " +
         (nearest.empty() ? "--help lists them" : "did you mean '--" + nearest + "'?");
}

} // namespace nacre::tools

#endif // NACRE_TOOLS_NEARESTNAME_H
