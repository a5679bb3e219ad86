// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value that each node passes on, and the guard under which it is computed. Frames.cpp finds its loop.

#include "compiler/import/tensorflow/control/Flow.h"

#include "compiler/import/tensorflow/control/Order.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace nacre::importer::tensorflow_format {

/// Value instead of a predicate's index if a LoopCond decides. A LoopCond guards no node inside its loop.
static constexpr unsigned byLoopCondition = ~0u;

Flow::Flow(llvm::ArrayRef<ControlNode> nodes)
    : nodes(nodes), kinds(nodes.size()), nodeGuards(nodes.size(), Guards::never), nodeFrames(nodes.size(), 0),
      frames(1), aliases(nodes.size()), aliasIndices(nodes.size()), throughIdentity(nodes.size()),
      isLoopCondition(nodes.size()), switchPredicates(nodes.size(), byLoopCondition), switchSides(nodes.size()),
      iterationSides(nodes.size()), carriedInit(nodes.size()), carriedNext(nodes.size()) {
  for (auto [kind, node] : llvm::zip_equal(kinds, nodes))
    kind = getControlKind(node.op);
}

std::optional<ControlProblem> Flow::analyze(llvm::ArrayRef<unsigned> order, KnownPredicate getKnown) {
  for (unsigned node : order)
    if (auto problem = analyzeGuards(node, getKnown))
      return problem;
  if (auto problem = analyzeFrames(order))
    return problem;
  return findCarried(order);
}

//===----------------------------------------------------------------------===//
// Passed values
//===----------------------------------------------------------------------===//

Port Flow::trace(Port port) {
  llvm::SmallVector<unsigned> path;
  while (!port.isNumber() && aliases[port.node].node != Port::none) {
    if (kinds[port.node] == ControlKind::Merge && port.result == 1) {
      port = aliasIndices[port.node];
      continue;
    }
    path.push_back(port.node);
    port = aliases[port.node];
  }
  for (unsigned node : path)
    aliases[node] = port;
  return port;
}

Port Flow::traceIdentity(Port port) {
  llvm::SmallVector<unsigned> path;
  for (port = trace(port); !port.isNumber() && kinds[port.node] == ControlKind::Identity;) {
    path.push_back(port.node);
    Port known = throughIdentity[port.node];
    port = trace(known.node != Port::none ? known : nodes[port.node].operands.front());
  }
  for (unsigned node : path)
    throughIdentity[node] = port;
  return port;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

Guards::Guard Flow::getGuard(Port port) {
  if (port.isNumber())
    return Guards::always;
  Guards::Guard guard = nodeGuards[port.node];
  if (kinds[port.node] != ControlKind::Switch || guard == Guards::never)
    return guard;
  if (std::optional<bool> side = switchSides[port.node])
    return port.result == unsigned(*side) ? guard : Guards::Guard(Guards::never);
  unsigned predicate = switchPredicates[port.node];
  return predicate == byLoopCondition ? guard : guards.add(guard, 2 * predicate + port.result);
}

/// Returns the guard under which all operands of the node are computed.
Guards::Guard Flow::uniteOperands(unsigned node) {
  Guards::Guard guard = Guards::always;
  for (Port operand : nodes[node].operands)
    guard = guards.unite(guard, getGuard(operand));
  for (unsigned tie : getTies(nodes, node))
    guard = guards.unite(guard, nodeGuards[tie]);
  return guard;
}

void Flow::analyzeSwitch(unsigned node, KnownPredicate getKnown) {
  aliases[node] = nodes[node].operands[0];
  Port given = nodes[node].operands[1];
  if (isLoopCondition[given.node])
    return;
  Port predicate = traceIdentity(given);
  if (!predicate.isNumber())
    switchSides[node] = getKnown(predicate);
  auto [place, isNew] = predicateNumbers.try_emplace(predicate, predicates.size());
  if (isNew)
    predicates.push_back(predicate);
  switchPredicates[node] = place->second;
}

/// Analyzes a Merge whose second value comes from the next iteration, through NextIteration `next`.
std::optional<ControlProblem> Flow::analyzeCarried(unsigned node, unsigned next) {
  llvm::ArrayRef<Port> operands = nodes[node].operands;
  size_t place = operands.front().node == next ? 0 : 1;
  if (operands.size() != 2 || kinds[operands[1 - place].node] != ControlKind::Enter)
    return ControlProblem{node, "must join one Enter with one NextIteration, because it carries a value of a loop"};
  carriedInit[node] = operands[1 - place];
  carriedNext[node] = operands[place];
  nodeGuards[node] = getGuard(carriedInit[node]);
  return std::nullopt;
}

std::optional<ControlProblem> Flow::analyzeMerge(unsigned node) {
  llvm::SmallVector<MergeInput> inputs;
  for (auto [index, operand] : llvm::enumerate(nodes[node].operands)) {
    if (kinds[operand.node] == ControlKind::NextIteration)
      return analyzeCarried(node, operand.node);
    Guards::Guard guard = getGuard(operand);
    if (guard == Guards::tooDeep)
      nodeGuards[node] = guard;
    else if (guard != Guards::never)
      inputs.push_back({operand, {Port::number, unsigned(index)}, guard});
  }
  if (nodeGuards[node] == Guards::tooDeep || inputs.empty())
    return std::nullopt;
  nodeGuards[node] = inputs.front().guard;
  if (inputs.size() == 1) {
    aliases[node] = inputs.front().value;
    aliasIndices[node] = inputs.front().index;
    return std::nullopt;
  }
  std::optional<std::vector<MergeStep>> steps = foldMerge(guards, node, inputs);
  nodeGuards[node] = steps ? steps->back().guard : Guards::Guard(Guards::always);
  merges[node] = steps ? std::move(*steps) : std::vector<MergeStep>();
  return std::nullopt;
}

std::optional<ControlProblem> Flow::analyzeGuards(unsigned node, KnownPredicate getKnown) {
  if (kinds[node] == ControlKind::Merge) {
    if (auto problem = analyzeMerge(node))
      return problem;
  } else {
    nodeGuards[node] = uniteOperands(node);
  }
  if (nodeGuards[node] == Guards::tooDeep)
    return ControlProblem{node, ("must be inside " + llvm::Twine(Guards::mostLiterals) +
                                 " or fewer conditionals, but is inside more; deeper conditionals are not supported")
                                    .str()};
  switch (kinds[node]) {
  case ControlKind::Switch:
    analyzeSwitch(node, getKnown);
    break;
  case ControlKind::Exit:
    aliases[node] = traceIdentity(nodes[node].operands[0]);
    break;
  case ControlKind::LoopCond:
    isLoopCondition[node] = true;
    [[fallthrough]];
  case ControlKind::Enter:
  case ControlKind::NextIteration:
    aliases[node] = nodes[node].operands[0];
    break;
  case ControlKind::Identity:
    if (nodes[node].operands.size() == 1)
      isLoopCondition[node] = isLoopCondition[nodes[node].operands[0].node];
    else
      kinds[node] = ControlKind::None; // the reader of the result reports the error
    break;
  case ControlKind::Merge:
  case ControlKind::None:
  case ControlKind::GradientStack:
    break;
  }
  return std::nullopt;
}

} // namespace nacre::importer::tensorflow_format
