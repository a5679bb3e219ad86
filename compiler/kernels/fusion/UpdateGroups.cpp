// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/UpdateGroups.h"

namespace nacre::kernels {

void takeUpdate(const GroupTable &table, FusionGroup &group) {
  std::set<int> inside(group.members.begin(), group.members.end());
  std::set<int> pending(table.users[group.last].begin(), table.users[group.last].end());
  if (pending.empty() || !table.nodes[group.last].staysOrUpdates())
    return;
  for (; !pending.empty(); pending.erase(pending.begin())) {
    const int node = *pending.begin();
    if (!table.mayFollow(node, group.last) || table.nodes[node].is<roles::TableRead>() ||
        !table.nodes[node].staysOrUpdates() || inside.size() == kMaxMembers)
      return;
    inside.insert(node);
    pending.insert(table.users[node].begin(), table.users[node].end());
  }
  if (table.countOutside(inside) > kMaxReadsOfUpdate)
    return;
  group.members.assign(inside.begin(), inside.end());
  group.last = *inside.rbegin();
  for (int member : inside)
    if (table.nodes[member].escapes)
      group.results.push_back(member);
}

} // namespace nacre::kernels
