// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/GroupTable.h"

#include "compiler/kernels/fusion/UpdateGroups.h"

#include "llvm/ADT/STLExtras.h"

namespace nacre::kernels {

GroupTable::GroupTable(llvm::ArrayRef<FusionNode> nodes)
    : nodes(nodes), users(nodes.size()), groupOf(nodes.size(), -1) {
  for (auto [node, description] : llvm::enumerate(nodes))
    for (int operand : description.operands)
      if (operand >= 0 && (users[operand].empty() || users[operand].back() != int(node)))
        users[operand].push_back(node);
}

bool GroupTable::mayFollow(int node, int other) const {
  return nodes[node].kind == WorkKind::Elementwise && groupOf[node] < 0 && nodes[node].shape == nodes[other].shape &&
         nodes[node].engine == nodes[other].engine &&
         (!nodes[node].is<roles::TableRead>() || nodes[other].mayReadTables());
}

size_t GroupTable::countOutside(const std::set<int> &members) const {
  std::set<int> values;
  size_t constants = 0;
  for (int member : members)
    for (int operand : nodes[member].operands)
      if (operand < 0)
        ++constants;
      else if (members.count(operand) == 0)
        values.insert(operand);
  return values.size() + constants;
}

size_t GroupTable::countReads(const FusionGroup &group) const {
  const std::set<int> members(group.members.begin(), group.members.end());
  size_t numbers = 0;
  for (int member : members)
    numbers += llvm::count(nodes[member].operands, kSplatOperand);
  return countOutside(members) - numbers;
}

size_t GroupTable::countOperands(int node) const {
  const auto &operands = nodes[node].operands;
  return std::max<size_t>(1, operands.size() - llvm::count(operands, kSplatOperand));
}

size_t GroupTable::countOperands(const FusionGroup &group) const {
  size_t operands = 1;
  for (int member : group.members)
    operands += countOperands(member) - 1;
  return operands;
}

int GroupTable::findOnlyReader(const FusionGroup &chain) const {
  if (nodes[chain.last].escapes || users[chain.last].empty())
    return -1;
  const bool readsTables =
      llvm::any_of(chain.members, [&](int member) { return nodes[member].is<roles::TableRead>(); });
  int reader = -1;
  for (int user : users[chain.last]) {
    int group = groupOf[user];
    if (group < 0 || (reader >= 0 && group != reader) || nodes[user].engine != nodes[chain.last].engine)
      return -1;
    reader = group;
    const FusionNode &node = nodes[user];
    const int anchor = groups[group].anchor;
    if (user == anchor && node.kind == WorkKind::Contraction && !canBeMade(chain))
      return -1;
    if (readsTables && anchor >= 0 && !nodes[anchor].mayReadTables())
      return -1;
    if (chain.anchor >= 0 && (anchor < 0 || !nodes[anchor].is<roles::RowLookup>() || user == anchor))
      return -1;
    if (groups[group].isRows || user != anchor) {
      if (!node.readsWhole(nodes[chain.last].shape))
        return -1;
      continue;
    }
    for (auto [index, operand] : llvm::enumerate(node.operands))
      if (operand == chain.last && int(index) != node.prologueOperand)
        return -1;
  }
  return reader;
}

bool GroupTable::canBeMade(const FusionGroup &group) const {
  return llvm::all_of(group.members, [&](int member) { return nodes[member].mayBeMade; });
}

bool GroupTable::fitOneKernel(const FusionGroup &group, const FusionGroup &other) const {
  return group.members.size() + other.members.size() <= kMaxMembers &&
         countOperands(group) + countOperands(other) <= kMaxOperands;
}

bool GroupTable::readFewTogether(const FusionGroup &reader, const FusionGroup &chain) const {
  if (reader.isRows)
    return countReads(reader) + countReads(chain) <= kMaxOperands;
  if (reader.anchor < 0 || !nodes[reader.anchor].mayUpdate || !nodes[reader.last].becomesState)
    return countOperands(reader) + countOperands(chain) <= kMaxOperands;
  std::set<int> members(reader.members.begin(), reader.members.end());
  members.insert(chain.members.begin(), chain.members.end());
  return countOutside(members) <= kMaxReadsOfUpdate;
}

void GroupTable::add(FusionGroup group) {
  for (int member : group.members)
    groupOf[member] = groups.size();
  groups.push_back(std::move(group));
}

void GroupTable::move(FusionGroup &group, int to) {
  for (int member : group.members)
    groupOf[member] = to;
  groups[to].members.append(group.members);
  group.members.clear();
}

} // namespace nacre::kernels
