// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/RowGroups.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

namespace nacre::kernels {
namespace {

/// Largest number of members of a group. Fixed-point reciprocals and roots take about 100 operators per row.
constexpr size_t maxMembers = 256;
/// Largest number of values that a group reads from memory.
constexpr size_t maxInputs = 16;

class RowFinder {
public:
  RowFinder(const GroupTable &table, int first)
      : table(table), nodes(table.nodes), first(first), reduction(nodes[first].as<roles::RowReduction>()) {}

  std::optional<FusionGroup> find() const {
    if (!reduction || nodes[first].shape == reduction->wholeShape)
      return std::nullopt;
    if (std::optional<FusionGroup> several = findSeveral())
      return several;
    FusionGroup group;
    group.anchor = group.last = first;
    group.isRows = true;
    group.members.push_back(first);
    while (true) {
      FusionGroup next = group;
      llvm::append_range(next.members, findRegion(group.last, maxMembers - group.members.size()));
      next.last = next.members.back();
      if (next.last == group.last || table.countReads(next) > maxInputs)
        break;
      group = std::move(next);
    }
    if (!llvm::any_of(llvm::drop_begin(group.members), [&](int node) { return isOverColumns(node); }))
      return std::nullopt;
    group.results.push_back(group.last);
    return group;
  }

private:
  bool isOverColumns(int node) const {
    return nodes[node].is<roles::RowReduction>() || nodes[node].shape == reduction->wholeShape;
  }

  bool fits(int node) const {
    if (table.groupOf[node] >= 0 || nodes[node].engine != nodes[first].engine)
      return false;
    if (const auto *other = nodes[node].as<roles::RowReduction>())
      return other->rows == reduction->rows;
    return nodes[node].kind == WorkKind::Elementwise &&
           (nodes[node].shape == nodes[first].shape || nodes[node].shape == reduction->wholeShape);
  }

  /// Returns the group of all operators that fit and depend on the first reduction. Operators that depend on an
  /// operator outside of the group are excluded. Outside operators may read results of the group only after its last
  /// member.
  std::optional<FusionGroup> findSeveral() const {
    if (!reduction->hasSeveralResults)
      return std::nullopt;
    std::set<int> inside = {first}, outside;
    for (int node = first + 1, end = nodes.size(); node < end; ++node) {
      auto reads = [&, operands = llvm::ArrayRef(nodes[node].operands)](const std::set<int> &set) {
        return llvm::any_of(operands, [&](int operand) { return set.count(operand) != 0; });
      };
      if (reads(outside) || (reads(inside) && (!fits(node) || inside.size() == maxMembers)))
        outside.insert(node);
      else if (reads(inside))
        inside.insert(node);
    }
    // Add operators whose readers are all inside.
    for (int node = *inside.rbegin(); node-- > 0;)
      if (!inside.count(node) && fits(node) && !nodes[node].escapes && !table.users[node].empty() &&
          llvm::all_of(table.users[node], [&](int user) { return inside.count(user) != 0; }))
        inside.insert(node);
    FusionGroup group;
    group.anchor = first;
    group.isRows = true;
    group.members.assign(inside.begin(), inside.end());
    group.last = group.members.back();
    for (int member : group.members) {
      auto isOutside = [&](int user) { return inside.count(user) == 0; };
      if (!nodes[member].escapes && llvm::none_of(table.users[member], isOutside))
        continue;
      if (nodes[member].shape != reduction->wholeShape ||
          llvm::any_of(table.users[member], [&](int user) { return isOutside(user) && user < group.last; }))
        return std::nullopt;
      group.results.push_back(member);
    }
    return table.countReads(group) <= maxInputs ? std::optional(group) : std::nullopt;
  }

  /// Returns all uses of `last` and the operators that depend on them, up to the first value through which all paths
  /// lead.
  std::set<int> findRegion(int last, size_t most) const {
    std::set<int> region, pending(table.users[last].begin(), table.users[last].end());
    if (nodes[last].escapes)
      return {};
    while (!pending.empty()) {
      const int node = *pending.begin();
      pending.erase(pending.begin());
      if (!fits(node) || region.size() == most)
        return {};
      region.insert(node);
      if (pending.empty())
        return region;
      if (nodes[node].escapes)
        return {};
      pending.insert(table.users[node].begin(), table.users[node].end());
    }
    return {};
  }

  const GroupTable &table;
  const llvm::ArrayRef<FusionNode> nodes;
  const int first;
  const roles::RowReduction *const reduction; ///< Role of `first`; null if it is no reduction of rows.
};

} // namespace

std::optional<FusionGroup> findRowGroup(const GroupTable &table, int first) { return RowFinder(table, first).find(); }

} // namespace nacre::kernels
