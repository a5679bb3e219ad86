// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  suggests existing names that a user may have meant by a name that does not exist.
// Why:   names of tensors and weights are long and come from exporters. An error message that suggests the right one
//        saves a search.
// How:   names are ranked by their edit distance from the typed name.

#ifndef NACRE_DIALECTS_NEARESTNAMES_H
#define NACRE_DIALECTS_NEARESTNAMES_H

#include "dialects/PrintableText.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre {

/// Returns up to three of `names`, quoted and separated by commas. The names most similar to `text` come first.
inline std::string nearestNames(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> names) {
  llvm::SmallVector<std::pair<unsigned, llvm::StringRef>> ranked;
  for (llvm::StringRef name : names)
    ranked.push_back({text.edit_distance(name), name});
  llvm::sort(ranked);
  if (ranked.size() > 3)
    ranked.truncate(3);
  return llvm::join(llvm::map_range(ranked, [](auto &row) { return "'" + toPrintable(row.second.str()) + "'"; }), ", ");
}

/// Returns the name most similar to `text`; "" if every name differs from it in half of the letters or more.
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
