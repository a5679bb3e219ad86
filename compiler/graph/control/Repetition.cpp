// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Repetition.h.

#include "compiler/graph/control/Repetition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace nacre::graph {

namespace {

using Operand = Repetition::Operand;
using Column = Repetition::Column;
using Numbers = std::vector<unsigned>;

/// Tables about a line that all attempts share.
struct Index {
  const OperatorLine &line;
  std::vector<Numbers> users;                            ///< Users of each value.
  std::map<std::pair<unsigned, int64_t>, unsigned> rows; ///< Operator that reads each row.
  int64_t effort;                                        ///< Number of operands that attempts may still visit.

  explicit Index(const OperatorLine &line) : line(line), users(line.values.size()), effort(0) {
    for (unsigned op = 0; op < line.operators.size(); ++op) {
      const OperatorLine::Operator &one = line.operators[op];
      for (unsigned value : one.operands)
        users[value].push_back(op);
      if (one.rowsOf != kNone)
        rows.try_emplace({one.rowsOf, one.row}, op);
      effort += int64_t(one.operands.size());
    }
    effort = 16 * effort + 1024;
  }
};

class Attempt {
public:
  /// Some operands may also come from the previous iteration. This attempt assumes that the one with index `earlier`
  /// among these operands does.
  Attempt(Index &index, unsigned minIterations, unsigned earlier)
      : index(index), line(index.line), minIterations(minIterations), earlier(earlier) {}

  /// Returns the number of operands that may also come from the previous iteration.
  unsigned countAmbiguous() const { return ambiguous; }

  std::optional<Repetition> run(const Numbers &anchors) {
    iterations = unsigned(anchors.size());
    if (!addColumn(anchors) || !growBackwards() || !isChain())
      return std::nullopt;
    complete();
    if (iterations < minIterations || !readsRows() || !isRight())
      return std::nullopt;
    return order();
  }

private:
  struct Place {
    unsigned column = kNone, iteration = 0;
  };

  Place placeOf(unsigned op) const {
    auto found = op == kNone ? places.end() : places.find(op);
    return found == places.end() ? Place() : found->second;
  }
  unsigned makerOf(unsigned value) const { return line.values[value].maker; }
  const OperatorLine::Operator &operatorOf(unsigned column) const {
    return line.operators[columns[column].operators[0]];
  }
  unsigned sizeOf(unsigned column) const { return unsigned(columns[column].operators.size()); }

  //===--------------------------------------------------------------------===//
  // 2. Backwards
  //===--------------------------------------------------------------------===//

  bool addColumn(const Numbers &operators) {
    for (unsigned iteration = 0; iteration < operators.size(); ++iteration)
      if (!places.try_emplace(operators[iteration], Place{unsigned(columns.size()), iteration}).second)
        return false;
    columns.push_back({operators, {}});
    return true;
  }

  bool growBackwards() {
    for (unsigned column = 0; column < columns.size(); ++column)
      for (unsigned operand = 0; operand < operatorOf(column).operands.size(); ++operand) {
        Numbers values;
        for (unsigned op : columns[column].operators)
          values.push_back(line.operators[op].operands[operand]);
        index.effort -= int64_t(values.size());
        if (index.effort < 0)
          return false;
        std::optional<Operand> found = classify(values);
        if (!found)
          return false;
        columns[column].operands.push_back(*found);
      }
    return true;
  }

  /// Returns the description of an operand whose values in the first iterations are `values`. Returns `nullopt` if none
  /// fits.
  std::optional<Operand> classify(const Numbers &values) {
    if (std::all_of(values.begin(), values.end(), [&](unsigned value) { return value == values[0]; }))
      return Operand{Operand::Kind::Invariant, values[0], 0, 0, 0};
    const unsigned result = line.values[values[1]].result;
    if (Place second = placeOf(makerOf(values[1])); second.column != kNone) {
      if (second.iteration > 1)
        return std::nullopt;
      const bool isCarried = second.iteration == 0;
      return Operand{isCarried ? Operand::Kind::Carried : Operand::Kind::Inner, values[0], second.column, result, 0};
    }
    if (std::optional<int64_t> step = findRowStep(values))
      return Operand{Operand::Kind::Row, values[0], 0, 0, *step};
    const unsigned column = unsigned(columns.size());
    std::optional<Numbers> all = findAlike(values, 0);
    const bool maybeEarlier = all && (*all)[1] > columns[0].operators[0];
    if (all && !(maybeEarlier && ambiguous++ == earlier) && addColumn(*all))
      return Operand{Operand::Kind::Inner, values[0], column, result, 0};
    if (std::optional<Numbers> makers = findAlike(values, 1); makers && makers->size() > 1 && addColumn(*makers))
      return Operand{Operand::Kind::Carried, values[0], column, result, 0};
    return std::nullopt;
  }

  std::optional<int64_t> findRowStep(const Numbers &values) const {
    std::optional<int64_t> step;
    for (unsigned iteration = 0; iteration < values.size(); ++iteration) {
      unsigned maker = makerOf(values[iteration]), before = iteration ? makerOf(values[iteration - 1]) : maker;
      if (maker == kNone || line.operators[maker].rowsOf == kNone ||
          line.operators[maker].rowsOf != line.operators[before].rowsOf)
        return std::nullopt;
      if (iteration == 0)
        continue;
      int64_t distance = line.operators[maker].row - line.operators[before].row;
      if (distance == 0 || (step && *step != distance))
        return std::nullopt;
      step = distance;
    }
    return step;
  }

  /// Returns the operators that compute `values`, beginning with index `first`, if they are equal and in no column yet.
  std::optional<Numbers> findAlike(const Numbers &values, unsigned first) const {
    Numbers makers;
    for (unsigned iteration = first; iteration < values.size(); ++iteration) {
      unsigned maker = makerOf(values[iteration]);
      if (maker == kNone || placeOf(maker).column != kNone || line.operators[maker].kind == kNone ||
          line.operators[maker].kind != line.operators[makerOf(values[first])].kind ||
          line.values[values[iteration]].result != line.values[values[first]].result)
        return std::nullopt;
      makers.push_back(maker);
    }
    return makers;
  }

  /// True if the anchor of an iteration depends on the anchor of the previous iteration.
  bool isChain() const {
    std::vector<bool> isRead(columns.size());
    Numbers open{0};
    while (!open.empty()) {
      const Column &column = columns[open.back()];
      open.pop_back();
      for (const Operand &operand : column.operands) {
        if (operand.kind != Operand::Kind::Inner && operand.kind != Operand::Kind::Carried)
          continue;
        if (!isRead[operand.column])
          open.push_back(operand.column);
        isRead[operand.column] = true;
      }
    }
    return isRead[0];
  }

  //===--------------------------------------------------------------------===//
  // 3. Forwards
  //===--------------------------------------------------------------------===//

  /// Returns the value of an operand in `iteration`, if it is known already.
  std::optional<unsigned> valueOf(const Operand &operand, unsigned iteration) const {
    switch (operand.kind) {
    case Operand::Kind::Invariant:
      return operand.value;
    case Operand::Kind::Row: {
      const OperatorLine::Value &first = line.values[operand.value];
      const OperatorLine::Operator &read = line.operators[first.maker];
      auto found = index.rows.find({read.rowsOf, read.row + operand.rowStep * int64_t(iteration)});
      return found == index.rows.end() ? std::nullopt
                                       : std::optional(line.operators[found->second].results[first.result]);
    }
    case Operand::Kind::Inner:
    case Operand::Kind::Carried:
      break;
    }
    const bool isCarried = operand.kind == Operand::Kind::Carried;
    if (isCarried && iteration == 0)
      return operand.value;
    const unsigned from = iteration - isCarried;
    if (from >= sizeOf(operand.column))
      return std::nullopt;
    return line.operators[columns[operand.column].operators[from]].results[operand.result];
  }

  /// Returns the operator that belongs to `column` in the first iteration that this column lacks.
  std::optional<unsigned> findNext(unsigned column) {
    Numbers wanted;
    std::optional<unsigned> known;
    for (const Operand &operand : columns[column].operands) {
      std::optional<unsigned> value = valueOf(operand, sizeOf(column));
      if (!value)
        return std::nullopt;
      wanted.push_back(*value);
      if (operand.kind != Operand::Kind::Invariant)
        known = value;
    }
    if (!known)
      return std::nullopt;
    for (unsigned user : index.users[*known]) {
      --index.effort;
      if (placeOf(user).column == kNone && line.operators[user].kind == operatorOf(column).kind &&
          line.operators[user].operands == wanted)
        return user;
    }
    return std::nullopt;
  }

  /// Adds missing operators to the columns. Afterwards, the shortest column determines the number of iterations.
  void complete() {
    for (bool changes = true; changes && index.effort >= 0;) {
      changes = false;
      for (unsigned column = 0; column < columns.size(); ++column)
        while (sizeOf(column) < iterations) {
          std::optional<unsigned> next = findNext(column);
          if (!next)
            break;
          places[*next] = {column, sizeOf(column)};
          columns[column].operators.push_back(*next);
          changes = true;
        }
    }
    for (const Column &column : columns)
      iterations = std::min(iterations, unsigned(column.operators.size()));
    for (Column &column : columns) {
      for (unsigned iteration = iterations; iteration < column.operators.size(); ++iteration)
        places.erase(column.operators[iteration]);
      column.operators.resize(iterations);
    }
  }

  //===--------------------------------------------------------------------===//
  // 4. Checks
  //===--------------------------------------------------------------------===//

  /// True if iterations read rows of a tensor. Other repetitions, such as layers that share weights, would not get a
  /// common product.
  bool readsRows() const {
    return std::any_of(columns.begin(), columns.end(), [](const Column &column) {
      return std::any_of(column.operands.begin(), column.operands.end(),
                         [](const Operand &operand) { return operand.kind == Operand::Kind::Row; });
    });
  }

  /// True if every operand in every iteration matches the description in its column, and no operand from outside
  /// depends on an iteration.
  bool isRight() const {
    for (const Column &column : columns)
      for (unsigned operand = 0; operand < column.operands.size(); ++operand)
        for (unsigned iteration = 0; iteration < iterations; ++iteration)
          if (!isRight(column, operand, iteration))
            return false;
    std::vector<bool> isLate(line.operators.size());
    for (unsigned op = 0; op < line.operators.size(); ++op) {
      const bool isInside = placeOf(op).column != kNone;
      for (unsigned value : line.operators[op].operands) {
        const unsigned maker = makerOf(value);
        if (maker == kNone)
          continue;
        if (isInside && isLate[maker])
          return false;
        if (!isInside && (isLate[maker] || placeOf(maker).column != kNone))
          isLate[op] = true;
      }
    }
    return true;
  }

  bool isRight(const Column &column, unsigned number, unsigned iteration) const {
    const OperatorLine::Operator &op = line.operators[column.operators[iteration]];
    const OperatorLine::Operator &last = line.operators[column.operators[iterations - 1]];
    const Operand &operand = column.operands[number];
    if (op.operands.size() != column.operands.size() || op.operands[number] != valueOf(operand, iteration))
      return false;
    const OperatorLine::Value &value = line.values[op.operands[number]];
    const bool isInside = placeOf(value.maker).column != kNone,
               mustBe =
                   operand.kind == Operand::Kind::Inner || (operand.kind == Operand::Kind::Carried && iteration > 0);
    if (isInside != mustBe)
      return false;
    const unsigned type = line.values[last.operands[number]].type;
    const bool mayLackAxes = operand.kind == Operand::Kind::Carried && iteration == 0 && value.isConstant;
    return value.type == type || (mayLackAxes && op.broadcastTo == type);
  }

  /// Sorts the columns. In each iteration, operators come after their operands, so the order within one iteration is
  /// also an order of the columns.
  Repetition order() const {
    Numbers order(columns.size()), rank(columns.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](unsigned a, unsigned b) { return columns[a].operators[0] < columns[b].operators[0]; });
    for (unsigned place = 0; place < order.size(); ++place)
      rank[order[place]] = place;
    Repetition result;
    result.iterations = iterations;
    for (unsigned column : order) {
      result.columns.push_back(columns[column]);
      for (Operand &operand : result.columns.back().operands)
        operand.column = rank[operand.column];
    }
    return result;
  }

  Index &index;
  const OperatorLine &line;
  unsigned minIterations, earlier, ambiguous = 0, iterations = 0;
  std::vector<Column> columns;
  std::map<unsigned, Place> places;
};

/// Returns groups of operators that may be one operator in several iterations, in the order of their first operators.
std::vector<Numbers> findAnchors(const OperatorLine &line, unsigned minIterations) {
  std::map<std::pair<unsigned, unsigned>, unsigned> groupOf;
  std::vector<Numbers> groups;
  for (unsigned op = 0; op < line.operators.size(); ++op) {
    const OperatorLine::Operator &one = line.operators[op];
    if (!one.isAnchor || one.kind == kNone)
      continue;
    auto [found, isNew] = groupOf.try_emplace({one.kind, one.operands.back()}, unsigned(groups.size()));
    if (isNew)
      groups.emplace_back();
    groups[found->second].push_back(op);
  }
  groups.erase(
      std::remove_if(groups.begin(), groups.end(), [&](const Numbers &group) { return group.size() < minIterations; }),
      groups.end());
  return groups;
}

/// Returns the number of values that the loop carries from iteration to iteration.
size_t countCarried(const Repetition &loop) {
  std::set<std::pair<unsigned, unsigned>> carried;
  for (const Column &column : loop.columns)
    for (const Operand &operand : column.operands)
      if (operand.kind == Operand::Kind::Carried)
        carried.insert({operand.column, operand.result});
  return carried.size();
}

/// Returns the longest loop of `anchors`. An iteration may begin at several operators, so several loops may be equally
/// long. Among these, the loop with the fewest carried values is returned.
std::optional<Repetition> findBest(Index &index, unsigned minIterations, const Numbers &anchors) {
  std::optional<Repetition> best;
  for (unsigned earlier : {kNone, 0U, 1U, 2U}) {
    Attempt attempt(index, minIterations, earlier);
    std::optional<Repetition> found = attempt.run(anchors);
    if (found && (!best || found->iterations > best->iterations ||
                  (found->iterations == best->iterations && countCarried(*found) < countCarried(*best))))
      best = std::move(found);
    if (earlier != kNone && attempt.countAmbiguous() <= earlier)
      break;
  }
  return best;
}

} // namespace

std::optional<Repetition> findRepetition(const OperatorLine &line, unsigned minIterations) {
  Index index(line);
  for (const Numbers &anchors : findAnchors(line, minIterations))
    if (std::optional<Repetition> found = findBest(index, minIterations, anchors))
      return found;
  return std::nullopt;
}

} // namespace nacre::graph
