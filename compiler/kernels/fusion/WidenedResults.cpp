// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/WidenedResults.h"

#include "llvm/ADT/STLExtras.h"

namespace nacre::kernels {

/// Returns the operators at the end of a group that dequantize its value: they widen it, and may then add and multiply
/// constants. Members of the returned group are in reverse order.
static FusionGroup findWidening(const GroupTable &table, const FusionGroup &group) {
  FusionGroup widening;
  widening.last = group.last;
  if (group.results.size() != 1)
    return widening;
  for (int node = group.last;; node = table.nodes[node].operands.front()) {
    const FusionNode &op = table.nodes[node];
    const int operand = op.operands.empty() ? -1 : op.operands.front();
    if (op.kind != WorkKind::Elementwise || op.is<roles::TableRead>() || operand < 0 ||
        !llvm::is_contained(group.members, operand) || table.users[operand].size() != 1 ||
        llvm::any_of(llvm::drop_begin(op.operands), [](int other) { return other != kSplatOperand; }))
      return FusionGroup();
    widening.members.push_back(node);
    if (op.is<roles::Widening>())
      return widening;
  }
}

void leaveWidening(GroupTable &table) {
  for (auto [index, group] : llvm::enumerate(table.groups)) {
    FusionGroup widening = findWidening(table, group);
    if (widening.members.empty())
      continue;
    // A product would repeat the widening for each block of columns.
    const bool isForProduct = llvm::any_of(table.users[group.last],
                                           [&](int user) { return table.nodes[user].kind == WorkKind::Contraction; });
    const int reader = table.findOnlyReader(widening);
    if (isForProduct || reader < 0 || reader == int(index) || !table.readFewTogether(table.groups[reader], widening))
      continue;
    for (int member : widening.members)
      llvm::erase(group.members, member);
    group.last = group.results.front() = table.nodes[widening.members.back()].operands.front();
    table.move(widening, reader);
  }
}

} // namespace nacre::kernels
