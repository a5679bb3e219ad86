// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements BodyReaders.h.

#include "compiler/import/control/BodyReaders.h"

using namespace mlir;

namespace nacre::importer {

BodyReaders::BodyReaders(const GraphView &body) {
  for (size_t index = 0; index < body.getNumNodes(); ++index)
    nodes.push_back(body.getNode(index));
  for (auto [index, node] : llvm::enumerate(nodes)) {
    for (auto [place, operand] : llvm::enumerate(node.operands))
      readers[operand].push_back({index, place});
    captured.insert(node.captures.begin(), node.captures.end());
  }
  for (const GraphValue &output : body.getOutputs())
    outputs.push_back(output.getSource());
}

/// Returns the only reader of the value, also through Identity. Returns null if there are several readers, or if the
/// value is an output.
const BodyReaders::Reader *BodyReaders::findReader(StringRef value) const {
  while (true) {
    auto found = readers.find(value);
    if (found == readers.end() || found->second.size() != 1 || captured.contains(value) ||
        llvm::is_contained(outputs, value))
      return nullptr;
    const Reader &reader = found->second.front();
    const GraphNode &node = nodes[reader.node];
    if (node.op != "Identity")
      return &reader;
    value = node.results.front();
  }
}

/// True if the value is the output with the index `output`, and no node reads it.
bool BodyReaders::isOnlyOutput(StringRef value, size_t output) const {
  while (outputs[output] != value) {
    auto found = readers.find(value);
    if (found == readers.end() || found->second.size() != 1 || captured.contains(value) ||
        nodes[found->second.front().node].op != "Identity")
      return false;
    value = nodes[found->second.front().node].results.front();
  }
  return !readers.contains(value) && !captured.contains(value) && llvm::count(outputs, value) == 1;
}

const GraphNode *BodyReaders::findOnlyUse(StringRef input, size_t output) const {
  const Reader *reader = findReader(input);
  if (!reader || reader->operand != 0)
    return nullptr;
  const GraphNode &node = nodes[reader->node];
  return isOnlyOutput(node.results.front(), output) ? &node : nullptr;
}

} // namespace nacre::importer
