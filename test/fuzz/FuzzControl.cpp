// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any bytes as a graph of TensorFlow's Switch, Merge, Enter and their kin: its control flow is raised to a whole
//        graph, or an error gives the reason.
// How:   five bytes are a node: its operator, how far before it (or, for a Merge, after) its operands are, which
//        results of these it reads, and its controls. The last node is the output.

#include "compiler/import/tensorflow/control/RaiseControl.h"
#include "test/unit/compiler/control/RaisedChecks.h"

#include <cstdio>

using namespace nacre::importer::tensorflow_format;

static constexpr const char *operators[] = {"Placeholder", "Const",  "Identity",      "Neg",      "Add",       "Less",
                                            "Switch",      "Switch", "Merge",         "Merge",    "Enter",     "Enter",
                                            "Exit",        "Exit",   "NextIteration", "LoopCond", "LogicalAnd"};
static constexpr unsigned numOperands[] = {0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 2};
static constexpr const char *frames[] = {"A", "B", "C", "A"};

static std::vector<ControlNode> readNodes(const uint8_t *data, size_t size) {
  std::vector<ControlNode> nodes(size / 5);
  for (size_t number = 0; number < nodes.size(); ++number) {
    const uint8_t *bytes = data + 5 * number;
    size_t op = bytes[0] % std::size(operators);
    ControlNode &node = nodes[number];
    node.name = node.op = operators[op];
    for (unsigned operand = 0; operand < numOperands[op]; ++operand) {
      size_t distance = bytes[1 + operand] % 16 + 1;
      bool isBehind = node.op == "Merge" && bytes[1 + operand] & 128;
      size_t source = isBehind ? number + distance : number - distance;
      node.operands.push_back({unsigned(source % nodes.size()), unsigned(bytes[3] >> operand) & 1});
    }
    if (bytes[3] & 16)
      node.controls.push_back(unsigned((number - bytes[4] % 16 - 1) % nodes.size()));
    if (node.op == "Enter")
      node.frame = frames[bytes[4] >> 6];
  }
  return nodes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<ControlNode> nodes = readNodes(data, size);
  if (nodes.empty())
    return 0;
  Port output = {unsigned(nodes.size()) - 1, 0};
  // Some predicates are known: every constant is.
  auto raised = raiseControl(nodes, output, [&](Port port) {
    return nodes[port.node].op == "Const" ? std::optional(port.node % 2 == 1) : std::nullopt;
  });
  if (auto *graph = std::get_if<RaisedGraph>(&raised))
    if (std::string fault = findFault(nodes, *graph); !fault.empty()) {
      std::fprintf(stderr, "%s\n", fault.c_str());
      __builtin_trap();
    }
  return 0;
}
