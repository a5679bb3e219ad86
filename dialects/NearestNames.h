// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the names that somebody may have meant who wrote another one.
// Why:   names of tensors and weights are long and an exporter's; the right one beside the wrong one is what a user needs.
// How:   by edit distance.

#ifndef NACRE_DIALECTS_NEARESTNAMES_H
#define NACRE_DIALECTS_NEARESTNAMES_H

#include "dialects/PrintableText.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre {

/// Up to three of `names`, quoted, those first that differ least from `text`.
inline std::string nearestNames(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> names) {
  llvm::SmallVector<std::pair<unsigned, llvm::StringRef>> ranked;
  for (llvm::StringRef name : names)
    ranked.push_back({text.edit_distance(name), name});
  llvm::sort(ranked);
  if (ranked.size() > 3)
    ranked.truncate(3);
  return llvm::join(llvm::map_range(ranked, [](auto &row) { return "'" + toPrintable(row.second.str()) + "'"; }), ", ");
}

/// Returns the name that was probably meant by `text`, or "" if half of the letters of each differ.
inline llvm::StringRef nearestName(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> names) {
  llvm::StringRef nearest;
  unsigned least = (text.size() + 1) / 2;
  for (llvm::StringRef name : names)
    if (unsigned distance = text.edit_distance(name, /*AllowReplacements=*/true, least); distance < least) {
      nearest = name;
      least = distance;
    }
  return nearest;
}

} // namespace nacre

#endif // NACRE_DIALECTS_NEARESTNAMES_H
