// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/PartGroups.h"

#include "llvm/ADT/STLExtras.h"

namespace nacre::kernels {

std::optional<FusionGroup> findPartGroup(const GroupTable &table, int first) {
  const FusionNode &product = table.nodes[first];
  auto isPart = [&](int user) {
    const FusionNode &part = table.nodes[user];
    return part.is<roles::ProductPart>() && !part.escapes && part.engine == product.engine;
  };
  const auto &parts = table.users[first];
  if (product.kind != WorkKind::Contraction || product.escapes || parts.empty() || !llvm::all_of(parts, isPart))
    return std::nullopt;
  std::set<int> inside{first}, pending;
  for (int part : parts) {
    inside.insert(part);
    pending.insert(table.users[part].begin(), table.users[part].end());
  }
  for (; !pending.empty(); pending.erase(pending.begin())) {
    const int node = *pending.begin();
    if (!table.mayFollow(node, parts.front()) || inside.size() == kMaxMembers)
      break;
    inside.insert(node);
    pending.insert(table.users[node].begin(), table.users[node].end());
  }
  auto isInside = [&](int node) { return inside.count(node) > 0; };
  const bool hasParts = llvm::all_of(parts, [&](int part) { return llvm::all_of(table.users[part], isInside); });
  if (!hasParts || table.nodes[*inside.rbegin()].kind != WorkKind::Elementwise ||
      table.countOutside(inside) > kMaxOperands)
    return std::nullopt;
  FusionGroup group;
  group.anchor = first;
  group.last = *inside.rbegin();
  for (int member : inside) {
    group.members.push_back(member);
    if (table.nodes[member].escapes || !llvm::all_of(table.users[member], isInside))
      group.results.push_back(member);
  }
  return group;
}

} // namespace nacre::kernels
