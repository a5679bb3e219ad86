// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Order.h.

#include "compiler/import/tensorflow/control/Order.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// Any graph
//===----------------------------------------------------------------------===//

std::optional<std::vector<unsigned>> orderByNeed(const std::vector<unsigned> &roots,
                                                 llvm::function_ref<void(unsigned, std::vector<unsigned> &)> getNeeds,
                                                 unsigned &onCycle) {
  enum class State : uint8_t { New, Open, Done };
  struct Frame {
    unsigned number;
    size_t firstNeed, nextNeed;
  };
  std::vector<State> states;
  std::vector<unsigned> order, needs;
  std::vector<Frame> path; // the elements on the path; their needs are consecutive in `needs`
  auto open = [&](unsigned number) {
    if (number >= states.size())
      states.resize(std::max<size_t>(number + 1, 2 * states.size()), State::New);
    if (states[number] != State::New)
      return;
    states[number] = State::Open;
    path.push_back({number, needs.size(), needs.size()});
    getNeeds(number, needs);
  };
  for (size_t next = 0; next < roots.size(); ++next) {
    open(roots[next]);
    while (!path.empty()) {
      Frame &frame = path.back();
      if (frame.nextNeed == needs.size()) {
        states[frame.number] = State::Done;
        order.push_back(frame.number);
        needs.resize(frame.firstNeed);
        path.pop_back();
        continue;
      }
      unsigned need = needs[frame.nextNeed++];
      if (need < states.size() && states[need] == State::Open) {
        onCycle = need;
        return std::nullopt;
      }
      open(need);
    }
  }
  return order;
}

//===----------------------------------------------------------------------===//
// TensorFlow's
//===----------------------------------------------------------------------===//

static bool isPivot(llvm::ArrayRef<ControlNode> nodes, unsigned node) {
  ControlKind kind = getControlKind(nodes[node].op);
  if (kind == ControlKind::Identity && !nodes[node].operands.empty())
    kind = getControlKind(nodes[nodes[node].operands.front().node].op);
  return kind == ControlKind::Switch;
}

llvm::SmallVector<unsigned> getTies(llvm::ArrayRef<ControlNode> nodes, unsigned node) {
  llvm::SmallVector<unsigned> ties;
  for (unsigned control : nodes[node].controls)
    if (nodes[node].operands.empty() || isPivot(nodes, control))
      ties.push_back(control);
  return ties;
}

/// Returns the rule that a node breaks regardless of other nodes, or "" if it breaks no rule.
static std::string judgeNode(llvm::ArrayRef<ControlNode> nodes, unsigned node) {
  ControlKind kind = getControlKind(nodes[node].op);
  size_t count = nodes[node].operands.size();
  if (kind == ControlKind::GradientStack)
    return "belongs to the gradient of a loop; name the inference outputs with --output, or pass --train to compile "
           "the "
           "training step";
  if (kind == ControlKind::Merge && count == 0)
    return "must have an operand, but has none";
  size_t wanted = kind == ControlKind::Switch ? 2 : 1;
  bool isFree = kind == ControlKind::None || kind == ControlKind::Identity || kind == ControlKind::Merge;
  if (!isFree && count != wanted)
    return (llvm::Twine("must have ") + llvm::Twine(wanted) + (wanted == 1 ? " operand" : " operands") + ", but has " +
            llvm::Twine(count))
        .str();
  if (kind == ControlKind::Enter && nodes[node].frame.empty())
    return "must name its loop in attribute 'frame_name', but does not";
  for (Port operand : nodes[node].operands) {
    ControlKind source = getControlKind(nodes[operand.node].op);
    bool hasTwo = source == ControlKind::Switch || source == ControlKind::Merge;
    if (source != ControlKind::None && operand.result > unsigned(hasTwo))
      return (llvm::Twine("must read an existing result of '") + nodes[operand.node].name + "', but reads result " +
              llvm::Twine(operand.result))
          .str();
    if (source == ControlKind::NextIteration && kind != ControlKind::Merge)
      return ("must not read '" + nodes[operand.node].name + "', which only the next iteration's Merge may read").str();
  }
  return {};
}

std::optional<ControlProblem> orderNodes(llvm::ArrayRef<ControlNode> nodes, llvm::ArrayRef<Port> outputs,
                                         std::vector<unsigned> &order) {
  std::vector<bool> isRoot(nodes.size());
  std::vector<unsigned> roots;
  auto addRoot = [&](unsigned node) {
    if (!isRoot[node])
      roots.push_back(node);
    isRoot[node] = true;
  };
  for (Port output : outputs)
    addRoot(output.node);
  unsigned onCycle = 0;
  auto ordered = orderByNeed(
      roots,
      [&](unsigned node, std::vector<unsigned> &needs) {
        for (Port operand : nodes[node].operands)
          if (getControlKind(nodes[operand.node].op) == ControlKind::NextIteration &&
              getControlKind(nodes[node].op) == ControlKind::Merge)
            addRoot(operand.node); // a separate root, which may come after its reader
          else
            needs.push_back(operand.node);
        llvm::append_range(needs, getTies(nodes, node));
      },
      onCycle);
  if (!ordered)
    return ControlProblem{onCycle, "must not depend on itself, but does; only NextIteration may close a cycle"};
  order = std::move(*ordered);
  for (unsigned node : order)
    if (std::string text = judgeNode(nodes, node); !text.empty())
      return ControlProblem{node, text};
  return std::nullopt;
}

} // namespace nacre::importer::tensorflow_format
