// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards of values, and the joining of values by Merges.

#include "compiler/import/tensorflow/control/Guards.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <queue>

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

Guards::Guard Guards::intern(std::vector<Literal> list) {
  auto [place, isNew] = known.try_emplace(std::move(list), literals.size());
  if (isNew)
    literals.push_back(place->first);
  return place->second;
}

Guards::Guard Guards::unite(Guard a, Guard b) {
  if (a == never || b == never)
    return never;
  if (a == tooDeep || b == tooDeep)
    return tooDeep;
  if (a == b || b == always)
    return a;
  if (a == always)
    return b;
  auto [place, isNew] = united.try_emplace(std::minmax(a, b), never);
  if (!isNew)
    return place->second;
  std::vector<Literal> list;
  std::set_union(literals[a].begin(), literals[a].end(), literals[b].begin(), literals[b].end(),
                 std::back_inserter(list));
  auto contradicts = [](Literal left, Literal right) { return left / 2 == right / 2; };
  if (std::adjacent_find(list.begin(), list.end(), contradicts) != list.end())
    return never;
  Guard guard = list.size() > mostLiterals ? Guard(tooDeep) : intern(std::move(list));
  return united[std::minmax(a, b)] = guard;
}

Guards::Guard Guards::remove(Guard guard, Literal literal) {
  std::vector<Literal> list = literals[guard].vec();
  llvm::erase(list, literal);
  return intern(std::move(list));
}

std::optional<Guards::Guard> Guards::findOpposite(Guard guard, Literal literal) const {
  std::vector<Literal> list = literals[guard].vec();
  *llvm::find(list, literal) = literal ^ 1;
  auto place = known.find(list);
  return place == known.end() ? std::nullopt : std::optional(place->second);
}

bool Guards::implies(Guard guard, llvm::ArrayRef<Literal> others) const {
  llvm::ArrayRef<Literal> list = literals[guard];
  return std::includes(list.begin(), list.end(), others.begin(), others.end());
}

//===----------------------------------------------------------------------===//
// Merges
//===----------------------------------------------------------------------===//

namespace {

/// Two inputs of a Merge whose guards differ only in the side of one predicate.
struct Pair {
  unsigned predicate;
  size_t sequence; ///< order of the pairs with the same predicate: pairs with smaller values are joined first
  Guards::Guard sides[2];

  bool operator<(const Pair &other) const {
    return std::make_pair(predicate, other.sequence) < std::make_pair(other.predicate, sequence);
  }
};

} // namespace

std::optional<std::vector<MergeStep>> foldMerge(Guards &guards, unsigned node, llvm::ArrayRef<MergeInput> inputs) {
  llvm::DenseMap<Guards::Guard, MergeInput> present;
  std::priority_queue<Pair> pairs;
  std::vector<MergeStep> steps;
  size_t sequence = 0;
  auto insert = [&](const MergeInput &input) {
    if (!present.try_emplace(input.guard, input).second)
      return false; // two values are present at the same time
    for (Literal literal : guards.getLiterals(input.guard))
      if (std::optional<Guards::Guard> other = guards.findOpposite(input.guard, literal))
        if (present.contains(*other))
          pairs.push(literal & 1 ? Pair{literal / 2, sequence++, {*other, input.guard}}
                                 : Pair{literal / 2, sequence++, {input.guard, *other}});
    return true;
  };
  for (const MergeInput &input : inputs)
    if (!insert(input))
      return std::nullopt;
  while (!pairs.empty()) {
    Pair pair = pairs.top();
    pairs.pop();
    if (!present.contains(pair.sides[0]) || !present.contains(pair.sides[1]))
      continue; // one of the two inputs is already joined with another
    MergeInput sides[2] = {present[pair.sides[0]], present[pair.sides[1]]};
    present.erase(pair.sides[0]);
    present.erase(pair.sides[1]);
    auto result = unsigned(present.empty() ? 0 : 2 + 2 * steps.size());
    MergeStep step{pair.predicate,
                   guards.remove(pair.sides[0], 2 * pair.predicate),
                   {sides[0].value, sides[1].value},
                   {sides[0].index, sides[1].index},
                   {node, result},
                   {node, result + 1}};
    steps.push_back(step);
    if (!insert({step.value, step.index, step.guard}))
      return std::nullopt;
  }
  if (present.size() != 1)
    return std::nullopt;
  return steps;
}

} // namespace nacre::importer::tensorflow_format
