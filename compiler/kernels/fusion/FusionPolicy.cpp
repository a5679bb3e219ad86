// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of the steps are the same as in the header. Steps 4 to 9 are in separate files, and so are the groups
// that have several results.

#include "compiler/kernels/fusion/FusionPolicy.h"

#include "compiler/kernels/fusion/CodeGroups.h"
#include "compiler/kernels/fusion/GroupTable.h"
#include "compiler/kernels/fusion/NormalizedOperands.h"
#include "compiler/kernels/fusion/PartGroups.h"
#include "compiler/kernels/fusion/RowGroups.h"
#include "compiler/kernels/fusion/SeparableGroups.h"
#include "compiler/kernels/fusion/SmallResults.h"
#include "compiler/kernels/fusion/UpdateGroups.h"
#include "compiler/kernels/fusion/WidenedResults.h"

#include "llvm/ADT/STLExtras.h"

namespace nacre::kernels {
namespace {

/// Limit of the operators that one step adds.
constexpr size_t maxRegion = 24;

class Fuser : private GroupTable {
public:
  explicit Fuser(llvm::ArrayRef<FusionNode> nodes) : GroupTable(nodes) {}

  llvm::SmallVector<FusionGroup> run(const SeparableRule &rule) {
    growAnchors(/*contractions=*/true);
    formRows();
    growAnchors(/*contractions=*/false);
    for (int node = 0, end = nodes.size(); node < end; ++node)
      if (nodes[node].kind == WorkKind::Elementwise && groupOf[node] < 0)
        add(grow(node, /*anchor=*/-1));
    mergeChains();
    mergeSeparable(*this, rule);
    mergeNormalizations(*this);
    mergeCodes(*this);
    mergeSmallResults(*this);
    leaveWidening(*this);
    llvm::erase_if(groups, [](const FusionGroup &group) { return group.members.empty(); });
    for (FusionGroup &group : groups)
      llvm::sort(group.members);
    llvm::sort(groups, [](const FusionGroup &a, const FusionGroup &b) { return a.last < b.last; });
    return std::move(groups);
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. and 2. Growing from an operator
  //===--------------------------------------------------------------------===//

  void growAnchors(bool contractions) {
    for (int node = int(nodes.size()) - 1; node >= 0; --node) {
      const WorkKind kind = nodes[node].kind;
      if (kind == WorkKind::Boundary || kind == WorkKind::Elementwise || groupOf[node] >= 0 ||
          (kind == WorkKind::Contraction) != contractions)
        continue;
      std::optional<FusionGroup> parts = findPartGroup(*this, node);
      add(parts ? std::move(*parts) : grow(node, /*anchor=*/node));
    }
  }

  FusionGroup grow(int first, int anchor) const {
    FusionGroup group;
    group.anchor = anchor;
    group.last = first;
    group.members.push_back(first);
    size_t operands = countOperands(first);
    while (nodes[first].mayBeFollowed()) {
      llvm::SmallVector<int, 4> region = findRegion(group.last, first);
      for (int member : region)
        operands += countOperands(member) - 1;
      if (region.empty() || group.members.size() + region.size() > kMaxMembers || operands > kMaxOperands)
        break;
      // Attention computes its epilogue while a block of rows is in registers, so the epilogue may read only splat
      // constants.
      if (nodes[first].kind == WorkKind::Attention && !readsNumbersAlone(region, group))
        break;
      group.members.append(region);
      group.last = region.back();
    }
    if (nodes[first].mayUpdate)
      takeUpdate(*this, group);
    if (group.results.empty())
      group.results.push_back(group.last);
    return group;
  }

  bool readsNumbersAlone(llvm::ArrayRef<int> region, const FusionGroup &group) const {
    return llvm::all_of(region, [&](int member) {
      return llvm::all_of(nodes[member].operands, [&](int operand) {
        return operand == kSplatOperand || operand == group.last || llvm::is_contained(region, operand);
      });
    });
  }

  /// Returns the smallest set of elementwise operators that contains all uses of `last` and from which only one value
  /// leaves. A value with several uses, as in x * sigmoid(x), then stays in registers until the uses are combined.
  llvm::SmallVector<int, 4> findRegion(int last, int first) const {
    llvm::SmallVector<int, 4> region;
    if (nodes[last].escapes)
      return {};
    std::set<int> pending(users[last].begin(), users[last].end());
    while (!pending.empty()) {
      int node = *pending.begin();
      pending.erase(pending.begin());
      if (!mayFollow(node, first) || region.size() == maxRegion)
        return {};
      region.push_back(node);
      if (pending.empty())
        break;
      if (nodes[node].escapes)
        return {};
      pending.insert(users[node].begin(), users[node].end());
    }
    return region;
  }

  //===--------------------------------------------------------------------===//
  // 3. Chains that only one group reads
  //===--------------------------------------------------------------------===//

  void mergeChains() {
    // Goes from last to first: after a chain has joined a group, chains before it can join the same group.
    llvm::SmallVector<int> chains;
    for (auto [index, group] : llvm::enumerate(groups))
      if (group.anchor < 0 || nodes[group.anchor].is<roles::RowLookup>())
        chains.push_back(index);
    llvm::sort(chains, [&](int a, int b) { return groups[a].last > groups[b].last; });
    for (int chain : chains) {
      const int reader = findOnlyReader(groups[chain]);
      if (reader >= 0 && reader != chain &&
          (groups[reader].isRows || groups[reader].members.size() + groups[chain].members.size() <= kMaxMembers) &&
          readFewTogether(groups[reader], groups[chain]))
        move(groups[chain], reader);
    }
  }

  //===--------------------------------------------------------------------===//
  // 6. Rows
  //===--------------------------------------------------------------------===//

  void formRows() {
    for (int node = 0, end = nodes.size(); node < end; ++node)
      if (groupOf[node] < 0)
        if (std::optional<FusionGroup> group = findRowGroup(*this, node))
          add(std::move(*group));
  }
};

} // namespace

llvm::SmallVector<FusionGroup> formGroups(llvm::ArrayRef<FusionNode> nodes, const SeparableRule &rule) {
  return Fuser(nodes).run(rule);
}

} // namespace nacre::kernels
