// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop of each node, and the values that each loop carries from iteration to iteration.

#include "compiler/import/tensorflow/control/Flow.h"
#include "compiler/import/tensorflow/control/Order.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace nacre::importer::tensorflow_format {

static std::string quote(llvm::StringRef name) { return ("'" + name + "'").str(); }

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// Finds the loop of each node. A loop's parent may become known only after the loop's first nodes, because any node
/// can read values of the outermost graph. Then the walk is repeated.
std::optional<ControlProblem> Flow::analyzeFrames(llvm::ArrayRef<unsigned> order) {
  constexpr int mostWalks = 8;
  for (int walk = 0; walk == 0 || haveFramesChanged; ++walk) {
    if (walk == mostWalks)
      return ControlProblem{order.back(), "must not follow loops whose nesting is not stated"};
    haveFramesChanged = false;
    for (unsigned node : order)
      if (nodeGuards[node] != Guards::never)
        if (auto problem = analyzeFrame(node))
          return problem;
  }
  for (LoopFrame &frame : llvm::drop_begin(frames)) {
    frame.depth = 1;
    for (unsigned around = frame.parent; around != 0; around = frames[around].parent)
      ++frame.depth;
  }
  return std::nullopt;
}

/// Finds the loop of `node`, an Enter that reads a value of the loop `from`.
std::optional<ControlProblem> Flow::enterFrame(unsigned node, unsigned from) {
  auto [place, isNew] = frameNumbers.try_emplace(nodes[node].frame, frames.size());
  unsigned number = place->second;
  if (isNew)
    frames.emplace_back().name = nodes[node].frame;
  nodeFrames[node] = number;
  if (from == 0 || frames[number].parent == from)
    return std::nullopt;
  unsigned depth = 0;
  for (unsigned around = from; around != 0; around = frames[around].parent)
    if (around == number || ++depth == mostFrames)
      return ControlProblem{node, around == number ? "must enter its loop from outside, but reads a value from inside"
                                                   : "must be inside fewer loops; deeper loops are not supported"};
  if (frames[number].parent != 0)
    return ControlProblem{node, "must enter its loop " + quote(frames[number].name) +
                                    " from one place, but reads a value of " + quote(frames[from].name) +
                                    " while others read values of " + quote(frames[frames[number].parent].name)};
  frames[number].parent = from;
  haveFramesChanged = true;
  return std::nullopt;
}

std::optional<ControlProblem> Flow::analyzeFrame(unsigned node) {
  unsigned frame = 0;
  std::optional<ControlProblem> problem;
  auto join = [&](unsigned source) {
    unsigned other = nodeFrames[source];
    if (other != 0 && frame != 0 && other != frame)
      problem =
          ControlProblem{node, "must read values of one loop, but reads '" + nodes[source].name.str() + "' of " +
                                   quote(frames[other].name) + " and another value of " + quote(frames[frame].name)};
    frame = other ? other : frame;
  };
  for (Port operand : nodes[node].operands)
    if (!isDead(operand) && !(isCarried(node) && operand == carriedNext[node]))
      join(operand.node);
  for (unsigned tie : getTies(nodes, node))
    join(tie);
  if (problem)
    return problem;
  bool isBound = kinds[node] == ControlKind::Exit || kinds[node] == ControlKind::LoopCond;
  if (isBound && frame == 0)
    return ControlProblem{node, "must be inside a loop, but is not"};
  nodeFrames[node] = kinds[node] == ControlKind::Exit ? frames[frame].parent : frame;
  if (kinds[node] == ControlKind::Enter)
    return enterFrame(node, frame);
  if (kinds[node] == ControlKind::LoopCond) {
    unsigned &condition = frames[frame].condition;
    if (condition != Port::none && condition != node)
      return ControlProblem{node, "must be the only LoopCond of " + quote(frames[frame].name) + ", but '" +
                                      nodes[condition].name.str() + "' is another one"};
    condition = node;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Carried values
//===----------------------------------------------------------------------===//

/// Reports an error if `node` reads a value from the wrong side of an iteration. NextIteration must not read values
/// that leave the loop. Exit must read only values that leave the loop. LoopCond must read neither these values nor
/// values of the next iteration.
std::optional<ControlProblem> Flow::judgeIterations(unsigned node) {
  constexpr uint8_t leaves = 1;
  uint8_t &sides = iterationSides[node];
  for (Port operand : nodes[node].operands) {
    if (isDead(operand) || isCarried(node))
      continue;
    bool isByLoopCondition =
        kinds[operand.node] == ControlKind::Switch && isLoopCondition[nodes[operand.node].operands[1].node];
    bool isInside = nodeFrames[operand.node] == nodeFrames[node] || kinds[node] == ControlKind::Exit;
    sides |= isByLoopCondition ? uint8_t(1 << operand.result) : isInside ? iterationSides[operand.node] : uint8_t(0);
  }
  uint8_t given = sides;
  if (kinds[node] == ControlKind::Exit || kinds[node] == ControlKind::Enter)
    sides = 0;
  switch (kinds[node]) {
  case ControlKind::NextIteration:
    if (given & leaves)
      return ControlProblem{node, "must read a value for the next iteration, but reads one that leaves the loop"};
    return std::nullopt;
  case ControlKind::LoopCond:
    if (given)
      return ControlProblem{node, "must be computed from carried values, but reads a value that it controls"};
    return std::nullopt;
  case ControlKind::Exit: {
    Port value = trace({node, 0});
    unsigned inside = nodeFrames[nodes[node].operands[0].node];
    if (given != leaves || (!value.isNumber() && nodeFrames[value.node] == inside && !isCarried(value.node)))
      return ControlProblem{node, "must read output 0 of a Switch that LoopCond controls"};
    return std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

std::optional<ControlProblem> Flow::findCarried(llvm::ArrayRef<unsigned> order) {
  auto isAlive = [&](unsigned node) { return nodeGuards[node] != Guards::never; };
  for (unsigned node : order) {
    if (!isAlive(node) || !isCarried(node))
      continue;
    unsigned next = carriedNext[node].node;
    if (!isAlive(next))
      return ControlProblem{node, "must have a value in the next iteration, but nothing computes it"};
    if (nodeFrames[next] != 0 && nodeFrames[next] != nodeFrames[node])
      return ControlProblem{node, "must get the next iteration's value from its own loop " +
                                      quote(frames[nodeFrames[node]].name) + ", but gets one of " +
                                      quote(frames[nodeFrames[next]].name)};
    if (traceIdentity(carriedNext[node]) == Port{node, 0}) { // the same value in all iterations
      aliases[node] = carriedInit[node];
      aliasIndices[node] = {Port::number, 0};
      carriedNext[node] = {};
    } else {
      frames[nodeFrames[node]].carried.push_back(node);
    }
  }
  throughIdentity.assign(nodes.size(), {});
  for (unsigned node : order)
    if (isAlive(node))
      if (auto problem = judgeIterations(node))
        return problem;
  return std::nullopt;
}

} // namespace nacre::importer::tensorflow_format
