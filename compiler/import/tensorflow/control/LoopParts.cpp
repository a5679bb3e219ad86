// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements LoopParts.h.

#include "compiler/import/tensorflow/control/LoopParts.h"

#include "compiler/import/tensorflow/control/Order.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

namespace nacre::importer::tensorflow_format {
namespace {

using Guard = Guards::Guard;

/// A node, a step of a Merge, or an inner loop.
struct Unit {
  enum class Kind : uint8_t { Node, Step, Loop } kind;
  unsigned index; ///< index of the node, the Merge or the loop
  unsigned step = 0;
  unsigned item = Port::none;
};

/// A unit, or steps that become one conditional.
struct Item {
  llvm::SmallVector<unsigned, 1> units;
  unsigned region = Port::none; ///< region in which the item is computed; `none` if nothing reads it
};

/// The part itself, or a side of a conditional in the part.
struct Region {
  unsigned parent = 0, depth = 0;
  Literal literal = 0;
  unsigned conditional = Port::none;
  std::vector<RaisedItem> items = {};
};

class PartBuilder {
public:
  PartBuilder(Flow &flow, llvm::ArrayRef<FrameLoop> loops, unsigned frame, RaisedGraph &graph)
      : flow(flow), loops(loops), frame(frame), graph(graph), regions(1) {}

  std::optional<ControlProblem> build(llvm::ArrayRef<Port> results, RaisedPart &part, std::vector<Port> &captures);

private:
  std::optional<unsigned> findUnit(Port port);
  const MergeStep &getStep(const Unit &unit) const { return flow.merges[unit.index][unit.step]; }
  Guard getGuard(const Unit &unit) const;
  void getNeeds(const Unit &unit, llvm::SmallVectorImpl<Port> &needs);
  void groupSteps(llvm::ArrayRef<unsigned> order);
  void use(Port port, unsigned region);
  unsigned climb(unsigned region, Guard guard) const;
  void place(Item &item);
  void placeConditional(Item &item);
  RaisedItem emit(const Item &item) const;

  Flow &flow;
  llvm::ArrayRef<FrameLoop> loops;
  unsigned frame;
  RaisedGraph &graph;
  std::vector<Unit> units;
  std::vector<Item> items;
  std::vector<Region> regions;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> unitNumbers; ///< index of each unit, by node and step
  std::set<Port> used;
  std::vector<unsigned> conditionals; ///< index of each item's conditional
};

//===----------------------------------------------------------------------===//
// 1. Needed units
//===----------------------------------------------------------------------===//

/// Returns the index of the unit that computes a value of this frame. Returns nullopt for arguments and for values of
/// outer frames.
std::optional<unsigned> PartBuilder::findUnit(Port port) {
  if (port.isNumber())
    return std::nullopt;
  Unit unit{Unit::Kind::Node, port.node};
  unsigned place = flow.nodeFrames[port.node];
  if (flow.isCarried(port.node)) {
    if (flow.frames[place].parent != frame || place == frame)
      return std::nullopt;
    unit = {Unit::Kind::Loop, loops[place].loop};
  } else if (place != frame) {
    return std::nullopt;
  } else if (flow.kinds[port.node] == ControlKind::Merge) {
    auto last = unsigned(flow.merges[port.node].size()) - 1;
    unit = {Unit::Kind::Step, port.node, port.result < 2 ? last : port.result / 2 - 1};
  }
  unsigned step = unit.kind == Unit::Kind::Step ? unit.step + 1 : 0;
  unsigned key = unit.kind == Unit::Kind::Loop ? graph.loops[unit.index].node : unit.index;
  auto [known, isNew] = unitNumbers.try_emplace({key, step}, units.size());
  if (isNew)
    units.push_back(unit);
  return known->second;
}

void PartBuilder::getNeeds(const Unit &unit, llvm::SmallVectorImpl<Port> &needs) {
  switch (unit.kind) {
  case Unit::Kind::Node:
    for (Port operand : flow.nodes[unit.index].operands)
      needs.push_back(flow.trace(operand));
    return;
  case Unit::Kind::Step: {
    const MergeStep &step = getStep(unit);
    for (Port port : {flow.predicates[step.predicate], step.values[0], step.values[1]})
      needs.push_back(flow.trace(port));
    return;
  }
  case Unit::Kind::Loop:
    for (const CarriedValue &carried : graph.loops[unit.index].carried)
      needs.push_back(carried.init);
    llvm::append_range(needs, graph.loops[unit.index].captures);
    return;
  }
}

//===----------------------------------------------------------------------===//
// 2. Conditionals
//===----------------------------------------------------------------------===//

/// Lengths of the longest chains of dependent steps that end at a unit. Element i considers only steps whose guards
/// have at most i predicates. Missing elements equal the last one.
using Counts = std::vector<unsigned>;

void raiseTo(Counts &counts, const Counts &others) {
  size_t size = std::max(counts.size(), others.size());
  counts.resize(size, counts.empty() ? 0 : counts.back());
  for (size_t index = 0; index < size && !others.empty(); ++index)
    counts[index] = std::max(counts[index], others[std::min(index, others.size() - 1)]);
}

/// Groups the units into items. No chain of dependent steps leads from an item back to the same item. Along such a
/// chain, the count grows at each of the steps with the fewest predicates, but all steps of an item have equal counts.
void PartBuilder::groupSteps(llvm::ArrayRef<unsigned> order) {
  std::map<std::tuple<Guard, unsigned, Counts>, unsigned> groups;
  std::vector<Counts> counts(units.size());
  for (unsigned number : order) {
    Unit &unit = units[number];
    llvm::SmallVector<Port> needs;
    getNeeds(unit, needs);
    for (Port need : needs)
      if (std::optional<unsigned> source = findUnit(need))
        raiseTo(counts[number], counts[*source]);
    unit.item = unsigned(items.size());
    if (unit.kind == Unit::Kind::Step) {
      const MergeStep &step = getStep(unit);
      size_t size = flow.guards.getLiterals(step.guard).size();
      Counts &own = counts[number];
      if (own.size() <= size)
        own.resize(size + 1, own.empty() ? 0 : own.back());
      for (unsigned &count : llvm::drop_begin(own, size))
        ++count;
      Counts key(own.begin(), own.begin() + ptrdiff_t(size) + 1);
      unit.item = groups.try_emplace({step.guard, step.predicate, std::move(key)}, unit.item).first->second;
    }
    if (unit.item == items.size())
      items.emplace_back();
    items[unit.item].units.push_back(number);
  }
}

//===----------------------------------------------------------------------===//
// 3. Places
//===----------------------------------------------------------------------===//

Guard PartBuilder::getGuard(const Unit &unit) const {
  switch (unit.kind) {
  case Unit::Kind::Node:
    return flow.nodeGuards[unit.index];
  case Unit::Kind::Step:
    return getStep(unit).guard;
  case Unit::Kind::Loop:
    return loops[flow.nodeFrames[graph.loops[unit.index].node]].guard;
  }
  return Guards::always;
}

/// Returns the innermost region that contains `region`, or is `region`, and whose predicates `guard` implies.
unsigned PartBuilder::climb(unsigned region, Guard guard) const {
  unsigned result = region;
  for (; region != 0; region = regions[region].parent)
    if (!flow.guards.implies(guard, regions[region].literal))
      result = regions[region].parent;
  return result;
}

void PartBuilder::use(Port port, unsigned region) {
  port = flow.trace(port);
  used.insert(port);
  std::optional<unsigned> unit = findUnit(port);
  if (!unit)
    return;
  unsigned &place = items[units[*unit].item].region;
  if (place == Port::none)
    place = region;
  while (place != region) {
    unsigned &deeper = regions[place].depth > regions[region].depth ? place : region;
    deeper = regions[deeper].parent;
  }
}

void PartBuilder::placeConditional(Item &item) {
  auto number = unsigned(graph.conditionals.size());
  RaisedConditional conditional;
  const MergeStep &first = getStep(units[item.units.front()]);
  conditional.predicate = flow.trace(flow.predicates[first.predicate]);
  use(conditional.predicate, item.region);
  auto sides = unsigned(regions.size());
  for (unsigned side : {0, 1})
    regions.push_back({item.region, regions[item.region].depth + 1, 2 * first.predicate + side, number});
  for (unsigned unit : item.units) {
    const MergeStep &step = getStep(units[unit]);
    for (auto [port, given] : {std::pair(step.value, step.values), std::pair(step.index, step.indices)}) {
      if (!used.count(port))
        continue;
      conditional.values.push_back(port);
      for (unsigned side : {0, 1}) {
        use(given[side], sides + side);
        conditional.parts[side].results.push_back(flow.trace(given[side]));
      }
    }
  }
  graph.conditionals.push_back(std::move(conditional));
  conditionals[size_t(&item - items.data())] = number;
}

void PartBuilder::place(Item &item) {
  if (item.region == Port::none)
    return;
  const Unit &unit = units[item.units.front()];
  item.region = climb(item.region, getGuard(unit));
  if (unit.kind == Unit::Kind::Step)
    return placeConditional(item);
  llvm::SmallVector<Port> needs;
  getNeeds(unit, needs);
  for (Port need : needs)
    use(need, item.region);
  if (unit.kind == Unit::Kind::Node)
    graph.operands[unit.index].assign(needs.begin(), needs.end());
}

RaisedItem PartBuilder::emit(const Item &item) const {
  const Unit &unit = units[item.units.front()];
  switch (unit.kind) {
  case Unit::Kind::Node:
    return {RaisedItem::Kind::Node, unit.index};
  case Unit::Kind::Step:
    return {RaisedItem::Kind::Conditional, conditionals[size_t(&item - items.data())]};
  case Unit::Kind::Loop:
    return {RaisedItem::Kind::Loop, unit.index};
  }
  return {};
}

std::optional<ControlProblem> PartBuilder::build(llvm::ArrayRef<Port> results, RaisedPart &part,
                                                 std::vector<Port> &captures) {
  std::vector<unsigned> roots;
  for (Port result : results)
    if (std::optional<unsigned> unit = findUnit(result))
      roots.push_back(*unit);
  unsigned onCycle = 0;
  auto order = orderByNeed(
      roots,
      [&](unsigned number, std::vector<unsigned> &needed) {
        llvm::SmallVector<Port> needs;
        getNeeds(Unit(units[number]), needs);
        for (Port need : needs)
          if (std::optional<unsigned> unit = findUnit(need))
            needed.push_back(*unit);
      },
      onCycle);
  if (!order) {
    const Unit &unit = units[onCycle];
    return ControlProblem{unit.kind == Unit::Kind::Loop ? graph.loops[unit.index].node : unit.index,
                          "must not depend on itself, but does: a loop's result must not lead back into it"};
  }
  groupSteps(*order);
  for (unsigned &root : roots)
    root = units[root].item;
  auto itemOrder = orderByNeed(
      roots,
      [&](unsigned number, std::vector<unsigned> &needed) {
        llvm::SmallVector<Port> needs;
        for (unsigned unit : items[number].units)
          getNeeds(units[unit], needs);
        for (Port need : needs)
          if (std::optional<unsigned> unit = findUnit(need))
            needed.push_back(units[*unit].item);
      },
      onCycle);
  assert(itemOrder && "steps of one conditional depend on one another");

  conditionals.resize(items.size(), Port::none);
  for (Port result : results)
    use(result, 0);
  for (unsigned number : llvm::reverse(*itemOrder))
    place(items[number]);
  for (unsigned number : *itemOrder)
    if (items[number].region != Port::none)
      regions[items[number].region].items.push_back(emit(items[number]));
  for (Region &region : llvm::drop_begin(regions))
    graph.conditionals[region.conditional].parts[region.literal & 1].items = std::move(region.items);
  part = {std::move(regions.front().items), results.vec()};
  for (Port port : used)
    if (!port.isNumber() && flow.nodeFrames[port.node] != frame && !findUnit(port))
      captures.push_back(port);
  return std::nullopt;
}

} // namespace

std::optional<ControlProblem> buildPart(Flow &flow, llvm::ArrayRef<FrameLoop> loops, unsigned frame,
                                        llvm::ArrayRef<Port> results, RaisedGraph &graph, RaisedPart &part,
                                        std::vector<Port> &captures) {
  return PartBuilder(flow, loops, frame, graph).build(results, part, captures);
}

} // namespace nacre::importer::tensorflow_format
