// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/CodeGroups.h"

#include "llvm/ADT/STLExtras.h"

namespace nacre::kernels {
namespace {

/// True if the kernel of `maxima` may move to the position of the kernel of `codes`. This position must come after all
/// operands of the maxima, and before all other readers of their result.
bool canMerge(const GroupTable &table, const FusionGroup &maxima, const FusionGroup &codes) {
  const int pool = maxima.anchor;
  const bool isPlain = maxima.members.size() == 1 && codes.results.size() == 1 && !codes.isRows && codes.depthwise < 0;
  if (!isPlain || table.nodes[pool].engine != table.nodes[codes.anchor].engine)
    return false;
  for (int user : table.users[pool]) {
    const int group = table.groupOf[user];
    if (!llvm::is_contained(codes.members, user) && (group >= 0 ? table.groups[group].last : user) < codes.last)
      return false;
  }
  return llvm::all_of(codes.members, [&](int member) {
    return llvm::all_of(table.nodes[member].operands,
                        [&](int operand) { return operand <= pool || llvm::is_contained(codes.members, operand); });
  });
}

} // namespace

void mergeCodes(GroupTable &table) {
  for (FusionGroup &codes : table.groups) {
    const auto *computed = codes.anchor >= 0 ? table.nodes[codes.anchor].as<roles::MaximumCodes>() : nullptr;
    const int pool = computed ? computed->maxima : -1;
    if (codes.members.empty() || pool < 0 || table.groupOf[pool] < 0)
      continue;
    const int group = table.groupOf[pool];
    FusionGroup &maxima = table.groups[group];
    if (&maxima == &codes || maxima.anchor != pool || !canMerge(table, maxima, codes))
      continue;
    maxima.results.push_back(codes.last);
    maxima.last = codes.last;
    table.move(codes, group);
  }
}

} // namespace nacre::kernels
