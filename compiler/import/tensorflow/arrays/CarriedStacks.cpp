// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists that a loop carries as stacks.

#include "compiler/import/tensorflow/arrays/CarriedStacks.h"

#include "compiler/import/model/GraphView.h"
#include "compiler/import/tensorflow/arrays/Rows.h"
#include "dialects/PrintableText.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// Who reads a value of a body.
struct Reader {
  size_t node;
  size_t operand;
};

class StackFinder {
public:
  explicit StackFinder(const GraphView &body) {
    for (size_t index = 0; index < body.getNumNodes(); ++index)
      nodes.push_back(body.getNode(index));
    for (auto [index, node] : llvm::enumerate(nodes)) {
      for (auto [place, operand] : llvm::enumerate(node.operands))
        readers[operand].push_back({index, place});
      for (StringRef captured : node.captures)
        isCaptured[captured] = true;
    }
    for (const GraphValue &output : body.getOutputs())
      outputs.push_back(output.getSource());
  }

  CarriedStack find(StringRef input, size_t output) const;

private:
  /// The only reader behind nodes Identity; null if there are others, or if the value is an output of the body.
  const Reader *findReader(StringRef value) const;
  /// Whether the value is this output, and nothing else reads it.
  bool isOnlyOutput(StringRef value, size_t output) const;

  std::vector<GraphNode> nodes;
  llvm::StringMap<SmallVector<Reader, 2>> readers;
  llvm::StringMap<bool> isCaptured;
  std::vector<StringRef> outputs;
};

const Reader *StackFinder::findReader(StringRef value) const {
  while (true) {
    auto found = readers.find(value);
    if (found == readers.end() || found->second.size() != 1 || isCaptured.contains(value) ||
        llvm::is_contained(outputs, value))
      return nullptr;
    const Reader &reader = found->second.front();
    const GraphNode &node = nodes[reader.node];
    if (node.op != "Identity")
      return &reader;
    value = node.results.front();
  }
}

bool StackFinder::isOnlyOutput(StringRef value, size_t output) const {
  while (outputs[output] != value) {
    auto found = readers.find(value);
    if (found == readers.end() || found->second.size() != 1 || isCaptured.contains(value) ||
        nodes[found->second.front().node].op != "Identity")
      return false;
    value = nodes[found->second.front().node].results.front();
  }
  return !readers.contains(value) && !isCaptured.contains(value) && llvm::count(outputs, value) == 1;
}

CarriedStack StackFinder::find(StringRef input, size_t output) const {
  const Reader *reader = findReader(input);
  if (!reader || reader->operand != 0)
    return {};
  const GraphNode &node = nodes[reader->node];
  const bool grows = node.op == "TensorListPushBack", shrinks = node.op == "TensorListPopBack";
  if ((!grows && !shrinks) || !isOnlyOutput(node.results.front(), output))
    return {};
  auto name = dyn_cast<NameLoc>(node.loc);
  return {grows ? CarriedStack::Use::Grows : CarriedStack::Use::Shrinks, name ? name.getName().str() : ""};
}

bool readsInput(const GraphView &graph, StringRef input) {
  for (size_t index = 0; index < graph.getNumNodes(); ++index) {
    const GraphNode node = graph.getNode(index);
    if (llvm::is_contained(node.operands, input) || llvm::is_contained(node.captures, input))
      return true;
  }
  return llvm::any_of(graph.getOutputs(), [&](const GraphValue &output) { return output.getSource() == input; });
}

} // namespace

std::vector<CarriedStack> findCarriedStacks(const GraphView &condition, const GraphView &body) {
  const StackFinder finder(body);
  std::vector<CarriedStack> stacks;
  const SmallVector<GraphValue> asked = condition.getInputs();
  for (auto [index, input] : llvm::enumerate(body.getInputs())) {
    CarriedStack &stack = stacks.emplace_back(finder.find(input.getSource(), index));
    if (stack.use != CarriedStack::Use::None && readsInput(condition, asked[index].getSource()))
      stack = {};
  }
  return stacks;
}

std::pair<Value, Value> splitStack(OperandBinder &node, Value array, int64_t count, bool isReversed, StringRef taking) {
  NnBuilder &nn = node.nn;
  Value joined = joinRows(node, array, nn.nothing());
  if (!joined)
    return {};
  const int64_t rest = getShape(joined)[0] - count;
  if (rest < 0) {
    node.error() << "'" << toPrintable(taking) << "' takes a value of a stack in each of " << count
                 << " iterations, but only " << getShape(joined)[0]
                 << " were pushed; let the loop and its gradient have the same number of iterations";
    return {};
  }
  Value taken = nn.slice(joined, 0, rest, count);
  if (taken && isReversed) {
    SmallVector<int64_t> order(llvm::reverse(llvm::to_vector(llvm::seq<int64_t>(0, count))));
    taken = nn.gather(taken, nn.integers(order), 0);
  }
  return {taken, nn.slice(joined, 0, 0, rest)};
}

Value growStack(OperandBinder &node, Value array, Value rows) {
  if (countRows(array) == 0)
    return rows;
  Value joined = joinRows(node, array, node.nn.slice(rows, 0, 0, 0));
  return joined ? node.nn.concat({joined, rows}, 0) : Value();
}

} // namespace nacre::importer::tensorflow_format
