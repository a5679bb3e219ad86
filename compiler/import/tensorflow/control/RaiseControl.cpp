// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raises the control flow of a TensorFlow graph: Switch and Merge to conditionals, frames to loops.
//
// How:  1. the nodes in order, and the value, guard and loop of each node (Order.h, Flow.h),
//       2. the loops that the outputs need, and the values that they carry,
//       3. loops, innermost first, then the graph around all loops: one part each for a condition, a body and the graph
//          (LoopParts.h),
//       4. values that conditionals read from outside.

#include "compiler/import/tensorflow/control/RaiseControl.h"

#include "compiler/import/tensorflow/control/LoopCounts.h"
#include "compiler/import/tensorflow/control/LoopParts.h"
#include "compiler/import/tensorflow/control/Order.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <set>

namespace nacre::importer::tensorflow_format {
namespace {

class Raiser {
public:
  Raiser(llvm::ArrayRef<ControlNode> nodes) : flow(nodes) { graph.operands.resize(nodes.size()); }

  std::optional<ControlProblem> raise(llvm::ArrayRef<Port> outputs, KnownPredicate getKnown);

  RaisedGraph graph;

private:
  std::optional<ControlProblem> judgeOutputs(llvm::ArrayRef<Port> outputs);
  std::optional<ControlProblem> findNeeded(llvm::ArrayRef<Port> outputs);
  std::optional<ControlProblem> buildLoop(unsigned frame);
  void findCaptures(RaisedPart &part);

  Flow flow;
  std::vector<FrameLoop> loops; ///< loops, by the index of their frame
  std::vector<bool> isNeeded;   ///< nodes on which outputs depend, by index
};

//===----------------------------------------------------------------------===//
// 2. Needed loops
//===----------------------------------------------------------------------===//

std::optional<ControlProblem> Raiser::judgeOutputs(llvm::ArrayRef<Port> outputs) {
  for (Port output : outputs) {
    Guards::Guard guard = flow.getGuard(output);
    unsigned frame = flow.nodeFrames[output.node];
    if (guard == Guards::never)
      return ControlProblem{output.node,
                            "must be computed to be an output, but no predicate selects it; leave it out by "
                            "naming the outputs you need with --output"};
    if (guard != Guards::always)
      return ControlProblem{
          output.node,
          "must be computed unconditionally to be an output, but is inside a conditional; name the Merge after it, or "
          "only the outputs you need, with --output"};
    if (frame != 0)
      return ControlProblem{output.node,
                            ("must be outside of loops to be an output, but is inside '" + flow.frames[frame].name +
                             "'; name the Exit after it, or only the outputs you need, with --output")
                                .str()};
  }
  return std::nullopt;
}

std::optional<ControlProblem> Raiser::findNeeded(llvm::ArrayRef<Port> outputs) {
  isNeeded.resize(flow.nodes.size());
  std::vector<Port> open;
  for (Port output : outputs)
    open.push_back(flow.trace(output));
  while (!open.empty()) {
    Port port = open.back();
    open.pop_back();
    if (port.isNumber())
      continue;
    unsigned node = port.node;
    if (flow.isCarried(node) && port.result != 0)
      return ControlProblem{node, "must be read only for its value, because it carries a value of a loop"};
    if (isNeeded[node])
      continue;
    isNeeded[node] = true;
    llvm::SmallVector<Port, 2> needs = flow.nodes[node].operands;
    if (flow.isCarried(node)) {
      unsigned condition = flow.frames[flow.nodeFrames[node]].condition;
      if (condition == Port::none)
        return ControlProblem{node, "must be in a loop with a LoopCond, but is not"};
      needs = {flow.getInit(node), flow.getNext(node), {condition, 0}};
    } else if (flow.kinds[node] == ControlKind::Merge) {
      needs.clear();
      if (flow.merges[node].empty())
        return ControlProblem{node, "must join values of which predicates select exactly one, but they may select two "
                                    "or none; name outputs that do not need it with --output"};
      for (const MergeStep &step : flow.merges[node])
        needs.append({flow.predicates[step.predicate], step.values[0], step.values[1]});
    }
    for (Port need : needs)
      open.push_back(flow.trace(need));
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// 3. Loops
//===----------------------------------------------------------------------===//

std::optional<ControlProblem> Raiser::buildLoop(unsigned frame) {
  RaisedLoop loop;
  loop.node = flow.frames[frame].condition;
  loop.frame = flow.frames[frame].name;
  std::vector<Port> next;
  Guards::Guard &guard = loops[frame].guard;
  for (unsigned merge : flow.frames[frame].carried) {
    if (!isNeeded[merge])
      continue;
    loop.carried.push_back({{merge, 0}, flow.getInit(merge)});
    next.push_back(flow.getNext(merge));
    guard = flow.guards.unite(guard, flow.nodeGuards[merge]);
  }
  if (loop.carried.empty())
    return std::nullopt;
  Port condition = flow.trace({loop.node, 0});
  if (guard == Guards::never || guard == Guards::tooDeep)
    return ControlProblem{loop.node, "must belong to a loop whose values all enter under the same conditions"};
  for (Port result : next) {
    Guards::Guard inside = flow.getGuard(result);
    bool isGuarded = inside == Guards::never || inside == Guards::tooDeep ||
                     !flow.guards.implies(guard, flow.guards.getLiterals(inside));
    if (isGuarded)
      return ControlProblem{
          result.node, "must be computed in every iteration to be carried to the next, but is inside a conditional"};
  }
  std::vector<Port> captures;
  if (auto problem = buildPart(flow, loops, frame, condition, graph, loop.condition, captures))
    return problem;
  if (auto problem = buildPart(flow, loops, frame, next, graph, loop.body, captures))
    return problem;
  llvm::sort(captures);
  captures.erase(llvm::unique(captures), captures.end());
  loop.captures = std::move(captures);
  findCounts(flow, frame, loop);
  loops[frame].loop = unsigned(graph.loops.size());
  graph.loops.push_back(std::move(loop));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// 4. Captures
//===----------------------------------------------------------------------===//

/// Returns the values that `part` reads but does not compute. The captures of its conditionals must be known.
std::vector<Port> getFreePorts(const RaisedGraph &graph, const RaisedPart &part) {
  std::set<unsigned> nodes;
  std::set<Port> ports, read(part.results.begin(), part.results.end());
  for (RaisedItem item : part.items) {
    switch (item.kind) {
    case RaisedItem::Kind::Node:
      nodes.insert(item.index);
      read.insert(graph.operands[item.index].begin(), graph.operands[item.index].end());
      break;
    case RaisedItem::Kind::Conditional: {
      const RaisedConditional &conditional = graph.conditionals[item.index];
      ports.insert(conditional.values.begin(), conditional.values.end());
      read.insert(conditional.captures.begin(), conditional.captures.end());
      read.insert(conditional.predicate);
      break;
    }
    case RaisedItem::Kind::Loop:
      for (const CarriedValue &carried : graph.loops[item.index].carried) {
        ports.insert(carried.value);
        read.insert(carried.init);
      }
      read.insert(graph.loops[item.index].captures.begin(), graph.loops[item.index].captures.end());
      break;
    }
  }
  std::vector<Port> result;
  for (Port port : read)
    if (!port.isNumber() && !nodes.count(port.node) && !ports.count(port))
      result.push_back(port);
  return result;
}

/// Finds the captures of all conditionals in `part`.
void Raiser::findCaptures(RaisedPart &part) {
  for (RaisedItem item : part.items) {
    if (item.kind != RaisedItem::Kind::Conditional)
      continue;
    RaisedConditional &conditional = graph.conditionals[item.index];
    for (RaisedPart &side : conditional.parts) {
      findCaptures(side);
      llvm::append_range(conditional.captures, getFreePorts(graph, side));
    }
    llvm::sort(conditional.captures);
    conditional.captures.erase(llvm::unique(conditional.captures), conditional.captures.end());
  }
}

std::optional<ControlProblem> Raiser::raise(llvm::ArrayRef<Port> outputs, KnownPredicate getKnown) {
  std::vector<unsigned> order;
  if (auto problem = orderNodes(flow.nodes, outputs, order))
    return problem;
  if (auto problem = flow.analyze(order, getKnown))
    return problem;
  if (auto problem = judgeOutputs(outputs))
    return problem;
  if (auto problem = findNeeded(outputs))
    return problem;
  loops.resize(flow.frames.size());
  std::vector<unsigned> inward;
  for (unsigned frame = 1; frame < flow.frames.size(); ++frame)
    inward.push_back(frame);
  llvm::stable_sort(inward, [&](unsigned a, unsigned b) { return flow.frames[a].depth > flow.frames[b].depth; });
  for (unsigned frame : inward)
    if (auto problem = buildLoop(frame))
      return problem;
  std::vector<Port> results, captures;
  for (Port output : outputs)
    results.push_back(flow.trace(output));
  if (auto problem = buildPart(flow, loops, /*frame=*/0, results, graph, graph.main, captures))
    return problem;
  for (RaisedLoop &loop : graph.loops) {
    findCaptures(loop.condition);
    findCaptures(loop.body);
  }
  findCaptures(graph.main);
  return std::nullopt;
}

} // namespace

std::variant<RaisedGraph, ControlProblem> raiseControl(llvm::ArrayRef<ControlNode> nodes, llvm::ArrayRef<Port> outputs,
                                                       KnownPredicate getKnown) {
  Raiser raiser(nodes);
  if (std::optional<ControlProblem> problem = raiser.raise(outputs, getKnown))
    return *problem;
  return std::move(raiser.graph);
}

} // namespace nacre::importer::tensorflow_format
