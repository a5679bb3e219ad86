// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the counters in a loop's condition.

#include "compiler/import/tensorflow/control/LoopCounts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

namespace nacre::importer::tensorflow_format {
namespace {

using Comparison = LoopCount::Comparison;

std::optional<Comparison> getComparison(llvm::StringRef op) {
  return llvm::StringSwitch<std::optional<Comparison>>(op)
      .Case("Less", Comparison::Less)
      .Case("LessEqual", Comparison::LessEqual)
      .Case("Greater", Comparison::Greater)
      .Case("GreaterEqual", Comparison::GreaterEqual)
      .Default(std::nullopt);
}

/// Returns the comparison of b with a that is equivalent to `comparison` of a with b.
Comparison turnAround(Comparison comparison) {
  switch (comparison) {
  case Comparison::Less:
    return Comparison::Greater;
  case Comparison::LessEqual:
    return Comparison::GreaterEqual;
  case Comparison::Greater:
    return Comparison::Less;
  case Comparison::GreaterEqual:
    return Comparison::LessEqual;
  }
  return comparison;
}

class CountFinder {
public:
  CountFinder(Flow &flow, unsigned frame, RaisedLoop &loop) : flow(flow), frame(frame), loop(loop) {
    for (auto [index, carried] : llvm::enumerate(loop.carried))
      places.try_emplace(carried.value.node, unsigned(index));
  }

  bool add(Port condition);

private:
  /// True if `port` has the same value in all iterations. It must be traced.
  bool isInvariant(Port port) const {
    return port.isNumber() || flow.nodeFrames[port.node] != frame || flow.nodes[port.node].operands.empty();
  }
  bool addComparison(Comparison comparison, Port counter, Port limit);

  Flow &flow;
  unsigned frame;
  RaisedLoop &loop;
  llvm::DenseMap<unsigned, unsigned> places; ///< index of each carried value, by its Merge
};

bool CountFinder::addComparison(Comparison comparison, Port counter, Port limit) {
  auto place = places.find(counter.node);
  if (place == places.end() || !isInvariant(limit))
    return false;
  Port next = flow.traceIdentity(flow.getNext(counter.node));
  if (next.isNumber() || flow.nodes[next.node].operands.size() != 2)
    return false;
  llvm::StringRef op = flow.nodes[next.node].op;
  Port left = flow.traceIdentity(flow.nodes[next.node].operands[0]),
       right = flow.traceIdentity(flow.nodes[next.node].operands[1]);
  bool isAdded = op == "Add" || op == "AddV2", isSubtracted = op == "Sub";
  if (isAdded && right == counter)
    std::swap(left, right);
  if ((!isAdded && !isSubtracted) || left != counter || !isInvariant(right))
    return false;
  loop.counts.push_back({place->second, comparison, limit, right, isSubtracted});
  return true;
}

/// Adds a count if the condition is a comparison of a counter. Returns false if it is not.
bool CountFinder::add(Port condition) {
  if (condition.isNumber() || flow.nodes[condition.node].operands.size() != 2)
    return false;
  std::optional<Comparison> comparison = getComparison(flow.nodes[condition.node].op);
  if (!comparison)
    return false;
  Port left = flow.traceIdentity(flow.nodes[condition.node].operands[0]),
       right = flow.traceIdentity(flow.nodes[condition.node].operands[1]);
  return addComparison(*comparison, left, right) || addComparison(turnAround(*comparison), right, left);
}

} // namespace

void findCounts(Flow &flow, unsigned frame, RaisedLoop &loop) {
  CountFinder finder(flow, frame, loop);
  std::vector<Port> open = {flow.traceIdentity({loop.node, 0})};
  std::set<Port> seen;
  loop.isCounted = true;
  while (!open.empty()) {
    Port condition = open.back();
    open.pop_back();
    if (!seen.insert(condition).second)
      continue;
    bool isJoined = !condition.isNumber() && flow.nodes[condition.node].op == "LogicalAnd" &&
                    flow.nodes[condition.node].operands.size() == 2 && flow.nodeFrames[condition.node] == frame;
    if (isJoined)
      for (Port part : llvm::reverse(flow.nodes[condition.node].operands))
        open.push_back(flow.traceIdentity(part));
    else
      loop.isCounted &= finder.add(condition);
  }
}

} // namespace nacre::importer::tensorflow_format
