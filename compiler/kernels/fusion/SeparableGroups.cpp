// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/SeparableGroups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::kernels {
namespace {

/// True if operands from outside the group have at most one value per channel. Values per pixel would be read again
/// for each block of columns.
bool readsChannels(const GroupTable &table, int member) {
  const FusionNode &node = table.nodes[member];
  return llvm::all_of(llvm::enumerate(node.operands), [&](auto operand) {
    return (operand.value() >= 0 && table.groupOf[operand.value()] == table.groupOf[member]) ||
           node.isOfChannels[operand.index()];
  });
}

/// True if the kernel of `group`, whose anchor is a pointwise convolution, may and should compute `former`.
bool canTake(const GroupTable &table, const FusionGroup &group, const FusionGroup &former, const SeparableRule &rule) {
  if (former.anchor < 0 || former.depthwise >= 0)
    return false;
  const FusionNode &depthwise = table.nodes[former.anchor], &pointwise = table.nodes[group.anchor];
  const auto *windows = depthwise.as<roles::Depthwise>();
  return windows && depthwise.engine == pointwise.engine &&
         rule.pays(windows->multiplyAdds, pointwise.as<roles::Pointwise>()->columns) &&
         table.fitOneKernel(group, former) && llvm::all_of(former.members, [&](int member) {
           return member == former.anchor || readsChannels(table, member);
         });
}

} // namespace

bool SeparableRule::pays(double multiplyAdds, int64_t columnsOfProduct) const {
  if (columns == 0)
    return false;
  const int64_t blocks = llvm::divideCeil(columnsOfProduct, columns);
  return blocks <= fewBlocks || double(blocks - 1) * multiplyAdds <= repeatedMultiplyAdds;
}

void mergeSeparable(GroupTable &table, const SeparableRule &rule) {
  for (auto [index, group] : llvm::enumerate(table.groups)) {
    if (group.anchor < 0 || !table.nodes[group.anchor].is<roles::Pointwise>())
      continue;
    const auto &operands = table.nodes[group.anchor].operands;
    const int read = operands.front();
    if (read < 0 || table.nodes[read].escapes || table.groupOf[read] < 0 || table.groupOf[read] == int(index) ||
        table.users[read] != llvm::SmallVector<int, 2>{group.anchor} || llvm::count(operands, read) != 1)
      continue;
    FusionGroup &former = table.groups[table.groupOf[read]];
    if (former.last != read || !canTake(table, group, former, rule))
      continue;
    group.depthwise = former.anchor;
    table.move(former, index);
  }
}

} // namespace nacre::kernels
