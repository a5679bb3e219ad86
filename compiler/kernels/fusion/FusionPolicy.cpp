// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of the steps are the same as in the header. Steps 7 and 8 are in separate files.

#include "compiler/kernels/fusion/FusionPolicy.h"

#include "compiler/kernels/fusion/CodeGroups.h"
#include "compiler/kernels/fusion/GroupTable.h"
#include "compiler/kernels/fusion/RowGroups.h"
#include "compiler/kernels/fusion/SmallResults.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <set>

namespace nacre::kernels {
namespace {

/// Limits of the operators that one step adds, and of the members of a kernel. They keep the time linear for long
/// chains.
constexpr size_t maxRegion = 24;
constexpr size_t maxMembers = 64;
constexpr size_t maxOperands = 16;
/// Largest number of reads of an update. An update reads each state and constant several times.
constexpr size_t maxReadsOfUpdate = 32;

/// True if the kernel of this anchor contains no other operator.
bool isAlone(const FusionNode &node) {
  return (node.kind == WorkKind::Attention && !node.isOfCodes) || node.kind == WorkKind::Scan ||
         node.kind == WorkKind::Serial;
}

class Fuser : private GroupTable {
public:
  Fuser(llvm::ArrayRef<FusionNode> nodes, const SeparableRule &rule) : GroupTable(nodes), rule(rule) {}

  llvm::SmallVector<FusionGroup> run() {
    for (bool contractions : {true, false}) {
      for (int node = int(nodes.size()) - 1; node >= 0; --node) {
        WorkKind kind = nodes[node].kind;
        if (kind != WorkKind::Boundary && kind != WorkKind::Elementwise && groupOf[node] < 0 &&
            (kind == WorkKind::Contraction) == contractions)
          grow(node, /*anchor=*/node);
      }
      if (contractions)
        formRows();
    }
    for (int node = 0, end = nodes.size(); node < end; ++node)
      if (nodes[node].kind == WorkKind::Elementwise && groupOf[node] < 0)
        grow(node, /*anchor=*/-1);
    mergeChains();
    for (FusionGroup &group : groups)
      if (group.anchor >= 0 && nodes[group.anchor].separable == SeparablePart::Pointwise)
        takeDepthwise(group);
    mergeNormalizations();
    mergeCodes(*this);
    mergeSmallResults(*this);
    leaveWidening();
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

  void grow(int first, int anchor) {
    if (growParts(first))
      return;
    FusionGroup group;
    group.anchor = anchor;
    group.last = first;
    group.members.push_back(first);
    groupOf[first] = groups.size();
    size_t operands = countOperands(first);
    while (!isAlone(nodes[first])) {
      llvm::SmallVector<int, 4> region = findRegion(group.last, first);
      for (int member : region)
        operands += countOperands(member) - 1;
      if (region.empty() || group.members.size() + region.size() > maxMembers || operands > maxOperands)
        break;
      // Attention computes its epilogue while a block of rows is in registers, so the epilogue may read only splat
      // constants.
      if (nodes[first].kind == WorkKind::Attention && !readsNumbersAlone(region, group))
        break;
      for (int member : region)
        groupOf[member] = groups.size();
      group.members.append(region);
      group.last = region.back();
    }
    if (nodes[first].mayUpdate)
      takeUpdate(group);
    if (group.results.empty())
      group.results.push_back(group.last);
    groups.push_back(std::move(group));
  }

  bool readsNumbersAlone(llvm::ArrayRef<int> region, const FusionGroup &group) const {
    return llvm::all_of(region, [&](int member) {
      return llvm::all_of(nodes[member].operands, [&](int operand) {
        return operand == kSplatOperand || operand == group.last || llvm::is_contained(region, operand);
      });
    });
  }

  /// Adds all operators that depend on the group's last value, if all of them lead only to new values of states.
  void takeUpdate(FusionGroup &group) {
    std::set<int> inside(group.members.begin(), group.members.end());
    std::set<int> pending(users[group.last].begin(), users[group.last].end());
    if (pending.empty() || !staysOrUpdates(group.last))
      return;
    for (; !pending.empty(); pending.erase(pending.begin())) {
      const int node = *pending.begin();
      if (!mayFollow(node, group.last) || nodes[node].readsTable || !staysOrUpdates(node) ||
          inside.size() == maxMembers)
        return;
      inside.insert(node);
      pending.insert(users[node].begin(), users[node].end());
    }
    if (countOutside(inside) > maxReadsOfUpdate)
      return;
    group.members.assign(inside.begin(), inside.end());
    group.last = *inside.rbegin();
    for (int member : inside) {
      groupOf[member] = groups.size();
      if (nodes[member].escapes)
        group.results.push_back(member);
    }
  }

  bool staysOrUpdates(int node) const { return !nodes[node].escapes || nodes[node].becomesState; }

  //===--------------------------------------------------------------------===//
  // 1. and 2. Products that are read in parts
  //===--------------------------------------------------------------------===//

  /// Adds the parts of a contraction and all elementwise operators that follow, up to the first value that other
  /// operators read. Returns false if operators that are not parts read the contraction, or if operators outside read a
  /// part.
  bool growParts(int first) {
    auto isPart = [&](int user) {
      return nodes[user].isPart && !nodes[user].escapes && nodes[user].engine == nodes[first].engine;
    };
    if (nodes[first].kind != WorkKind::Contraction || nodes[first].escapes || users[first].empty() ||
        !llvm::all_of(users[first], isPart))
      return false;
    const int firstPart = users[first].front();
    std::set<int> inside{first}, pending;
    for (int part : users[first]) {
      inside.insert(part);
      pending.insert(users[part].begin(), users[part].end());
    }
    for (; !pending.empty(); pending.erase(pending.begin())) {
      const int node = *pending.begin();
      if (!mayFollow(node, firstPart) || inside.size() == maxMembers)
        break;
      inside.insert(node);
      pending.insert(users[node].begin(), users[node].end());
    }
    auto isInside = [&](int node) { return inside.count(node) > 0; };
    const bool hasParts = llvm::all_of(users[first], [&](int part) { return llvm::all_of(users[part], isInside); });
    if (!hasParts || nodes[*inside.rbegin()].kind != WorkKind::Elementwise || countOutside(inside) > maxOperands)
      return false;
    FusionGroup group;
    group.anchor = first;
    group.last = *inside.rbegin();
    for (int member : inside) {
      groupOf[member] = groups.size();
      group.members.push_back(member);
      if (nodes[member].escapes || !llvm::all_of(users[member], isInside))
        group.results.push_back(member);
    }
    groups.push_back(std::move(group));
    return true;
  }

  /// Returns the smallest set of elementwise operators that contains all uses of `last` and from which only one value
  /// leaves. A value with several uses, as in x * sigmoid(x), then stays in registers until the uses are combined.
  llvm::SmallVector<int, 4> findRegion(int last, int first) {
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
      if (group.anchor < 0 || nodes[group.anchor].isLookup)
        chains.push_back(index);
    llvm::sort(chains, [&](int a, int b) { return groups[a].last > groups[b].last; });
    for (int chain : chains) {
      int reader = findOnlyReader(groups[chain]);
      if (reader < 0 || reader == chain ||
          (!groups[reader].isRows && groups[reader].members.size() + groups[chain].members.size() > maxMembers) ||
          !readFewTogether(groups[reader], groups[chain]))
        continue;
      for (int member : groups[chain].members)
        groupOf[member] = reader;
      groups[reader].members.append(groups[chain].members);
      groups[chain].members.clear();
    }
  }

  bool readFewTogether(const FusionGroup &reader, const FusionGroup &chain) const {
    if (reader.isRows)
      return countReads(reader) + countReads(chain) <= maxOperands;
    if (reader.anchor < 0 || !nodes[reader.anchor].mayUpdate || !nodes[reader.last].becomesState)
      return countOperands(reader) + countOperands(chain) <= maxOperands;
    std::set<int> members(reader.members.begin(), reader.members.end());
    members.insert(chain.members.begin(), chain.members.end());
    return countOutside(members) <= maxReadsOfUpdate;
  }

  //===--------------------------------------------------------------------===//
  // 4. Separable convolutions
  //===--------------------------------------------------------------------===//

  /// Moves the group of a depthwise convolution into `group`, if only the anchor of `group` reads it.
  void takeDepthwise(FusionGroup &group) {
    const int read = nodes[group.anchor].operands.front();
    if (read < 0 || nodes[read].escapes || groupOf[read] < 0 ||
        users[read] != llvm::SmallVector<int, 2>{group.anchor} || llvm::count(nodes[group.anchor].operands, read) != 1)
      return;
    FusionGroup &former = groups[groupOf[read]];
    if (&former == &group || former.last != read || former.anchor < 0 || former.depthwise >= 0 ||
        nodes[former.anchor].separable != SeparablePart::Depthwise ||
        nodes[former.anchor].engine != nodes[group.anchor].engine ||
        !rule.pays(nodes[former.anchor].multiplyAdds, nodes[group.anchor].columns) ||
        group.members.size() + former.members.size() > maxMembers ||
        countOperands(group) + countOperands(former) > maxOperands ||
        !llvm::all_of(former.members, [&](int member) { return member == former.anchor || readsChannels(member); }))
      return;
    for (int member : former.members)
      groupOf[member] = groupOf[group.anchor];
    group.depthwise = former.anchor;
    group.members.append(former.members);
    former.members.clear();
  }

  /// True if operands from outside the group have at most one value per channel. Values per pixel would be read again
  /// for each block of columns.
  bool readsChannels(int member) const {
    return llvm::all_of(llvm::enumerate(nodes[member].operands), [&](auto operand) {
      return (operand.value() >= 0 && groupOf[operand.value()] == groupOf[member]) ||
             nodes[member].isOfChannels[operand.index()];
    });
  }

  //===--------------------------------------------------------------------===//
  // 5. Normalizations that a contraction reads
  //===--------------------------------------------------------------------===//

  void mergeNormalizations() {
    for (auto [index, rows] : llvm::enumerate(groups)) {
      if (rows.anchor < 0 || rows.members.empty() || !nodes[rows.anchor].normalizesRows || !canBeMade(rows) ||
          *llvm::min_element(rows.members) != rows.anchor)
        continue;
      std::optional<int> reader = findProduct(rows);
      if (!reader || groups[*reader].members.size() + rows.members.size() > maxMembers ||
          countOperands(groups[*reader]) + countOperands(rows) > maxOperands)
        continue;
      FusionGroup &product = groups[*reader];
      for (int member : rows.members)
        groupOf[member] = *reader;
      product.members.append(rows.members);
      if (users[rows.last].size() > 1)
        product.results.push_back(rows.last);
      rows.members.clear();
    }
  }

  /// Returns the group whose anchor may compute `rows` as its prologue operand. All other readers of the rows must come
  /// after it.
  std::optional<int> findProduct(const FusionGroup &rows) const {
    if (nodes[rows.last].escapes || users[rows.last].empty())
      return std::nullopt;
    const int first = users[rows.last].front(), reader = groupOf[first];
    auto isLeft = [&, operands = llvm::ArrayRef(nodes[first].operands)](size_t index) {
      return (operands[index] == rows.last) == (int(index) == nodes[first].prologueOperand);
    };
    if (nodes[first].kind != WorkKind::Contraction || reader < 0 || groups[reader].anchor != first ||
        nodes[first].engine != nodes[rows.last].engine || groups[reader].results.size() != 1 ||
        !llvm::all_of(llvm::seq(nodes[first].operands.size()), isLeft))
      return std::nullopt;
    for (int user : llvm::drop_begin(users[rows.last])) {
      const int position = groupOf[user] >= 0 ? groups[groupOf[user]].last : user;
      if (groupOf[user] == reader || position < groups[reader].last)
        return std::nullopt;
    }
    return reader;
  }

  //===--------------------------------------------------------------------===//
  // 6. Rows
  //===--------------------------------------------------------------------===//

  void formRows() {
    for (int node = 0, end = nodes.size(); node < end; ++node) {
      if (groupOf[node] >= 0)
        continue;
      std::optional<FusionGroup> group = findRowGroup(*this, node);
      if (!group)
        continue;
      for (int member : group->members)
        groupOf[member] = groups.size();
      groups.push_back(std::move(*group));
    }
  }

  //===--------------------------------------------------------------------===//
  // 9. Operators that only widen
  //===--------------------------------------------------------------------===//

  void leaveWidening() {
    for (auto [index, group] : llvm::enumerate(groups)) {
      FusionGroup widening = findWidening(group);
      if (widening.members.empty())
        continue;
      // A product would repeat the widening for each block of columns.
      const bool isForProduct =
          llvm::any_of(users[group.last], [&](int user) { return nodes[user].kind == WorkKind::Contraction; });
      const int reader = findOnlyReader(widening);
      if (isForProduct || reader < 0 || reader == int(index) || !readFewTogether(groups[reader], widening))
        continue;
      for (int member : widening.members) {
        llvm::erase(group.members, member);
        groupOf[member] = reader;
      }
      group.last = group.results.front() = nodes[widening.members.back()].operands.front();
      groups[reader].members.append(widening.members);
    }
  }

  /// Returns the operators at the end of a group that dequantize its value: they widen it, and may then add and
  /// multiply constants. Members of the returned group are in reverse order.
  FusionGroup findWidening(const FusionGroup &group) const {
    FusionGroup widening;
    widening.last = group.last;
    if (group.results.size() != 1)
      return widening;
    for (int node = group.last;; node = nodes[node].operands.front()) {
      const int operand = nodes[node].operands.empty() ? -1 : nodes[node].operands.front();
      if (nodes[node].kind != WorkKind::Elementwise || nodes[node].readsTable || operand < 0 ||
          !llvm::is_contained(group.members, operand) || users[operand].size() != 1 ||
          llvm::any_of(llvm::drop_begin(nodes[node].operands), [](int other) { return other != kSplatOperand; }))
        return FusionGroup();
      widening.members.push_back(node);
      if (nodes[node].widens)
        return widening;
    }
  }

  const SeparableRule rule;
};

} // namespace

bool SeparableRule::pays(double multiplyAdds, int64_t columnsOfProduct) const {
  if (columns == 0)
    return false;
  const int64_t blocks = llvm::divideCeil(columnsOfProduct, columns);
  return blocks <= fewBlocks || double(blocks - 1) * multiplyAdds <= repeatedMultiplyAdds;
}

llvm::SmallVector<FusionGroup> formGroups(llvm::ArrayRef<FusionNode> nodes, const SeparableRule &rule) {
  return Fuser(nodes, rule).run();
}

} // namespace nacre::kernels
