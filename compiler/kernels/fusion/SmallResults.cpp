// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/SmallResults.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace nacre::kernels {
namespace {

/// Limit of the buffers of a kernel. GPUs of phones can bind at least 24.
constexpr size_t maxBuffers = 24;

bool isEnd(const GroupTable &table, const FusionGroup &group) {
  return group.anchor < 0 && !group.members.empty() &&
         llvm::all_of(
             group.results,
             [&](int result) { return table.nodes[result].isSmallResult && table.users[result].empty(); });
}

bool fitsOneKernel(const GroupTable &table, const FusionGroup &group) {
  return group.members.size() <= kMaxMembers && table.countReads(group) + group.results.size() <= maxBuffers;
}

} // namespace

void mergeSmallResults(GroupTable &table) {
  // Last group so far for each shape and engine. No node reads its results, so a later kernel may compute them.
  std::map<std::pair<int, int>, FusionGroup *> open;
  for (FusionGroup &group : table.groups) {
    if (!isEnd(table, group))
      continue;
    const FusionNode &last = table.nodes[group.last];
    FusionGroup *&former = open[{last.shape, last.engine}];
    FusionGroup both = group;
    if (former) {
      both.members.append(former->members);
      both.results.append(former->results);
      both.last = std::max(group.last, former->last);
    }
    if (former && fitsOneKernel(table, both)) {
      for (int member : former->members)
        table.groupOf[member] = table.groupOf[group.last];
      former->members.clear();
      group = std::move(both);
    }
    former = &group;
  }
}

} // namespace nacre::kernels
