// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/NormalizedOperands.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <optional>

namespace nacre::kernels {

/// Returns the group whose anchor may compute `rows` as its prologue operand. All other readers of the rows must come
/// after it.
static std::optional<int> findProduct(const GroupTable &table, const FusionGroup &rows) {
  const auto &users = table.users[rows.last];
  if (table.nodes[rows.last].escapes || users.empty())
    return std::nullopt;
  const int first = users.front(), reader = table.groupOf[first];
  const FusionNode &product = table.nodes[first];
  auto isLeft = [&](size_t index) {
    return (product.operands[index] == rows.last) == (int(index) == product.prologueOperand);
  };
  if (product.kind != WorkKind::Contraction || reader < 0 || table.groups[reader].anchor != first ||
      product.engine != table.nodes[rows.last].engine || table.groups[reader].results.size() != 1 ||
      !llvm::all_of(llvm::seq(product.operands.size()), isLeft))
    return std::nullopt;
  for (int user : llvm::drop_begin(users)) {
    const int group = table.groupOf[user];
    const int position = group >= 0 ? table.groups[group].last : user;
    if (group == reader || position < table.groups[reader].last)
      return std::nullopt;
  }
  return reader;
}

void mergeNormalizations(GroupTable &table) {
  for (FusionGroup &rows : table.groups) {
    if (rows.anchor < 0 || rows.members.empty() || !table.nodes[rows.anchor].is<roles::Normalization>() ||
        !table.canBeMade(rows) || *llvm::min_element(rows.members) != rows.anchor)
      continue;
    std::optional<int> reader = findProduct(table, rows);
    if (!reader || !table.fitOneKernel(table.groups[*reader], rows))
      continue;
    if (table.users[rows.last].size() > 1)
      table.groups[*reader].results.push_back(rows.last);
    table.move(rows, *reader);
  }
}

} // namespace nacre::kernels
