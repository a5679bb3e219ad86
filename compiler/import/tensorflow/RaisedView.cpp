// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements RaisedView.h.
//
// How:  1. the input of raising: nodes in the order of their indices, and one more node for each tensor at which the
//          graph is cut,
//       2. the result of raising, with names: a value has the name of its tensor in the file,
//       3. parts as graphs.

#include "compiler/import/tensorflow/RaisedView.h"

#include "compiler/import/tensorflow/Operators.h"
#include "compiler/import/tensorflow/control/RaiseControl.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/StringSaver.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. The input of raising
//===----------------------------------------------------------------------===//

/// Returns the nodes of the file, then an input for each tensor at which the section is cut.
std::vector<ControlNode> describeNodes(const CheckedGraph &graph, const Section &section) {
  std::vector<ControlNode> nodes;
  std::map<TensorId, Port> cut;
  auto count = static_cast<unsigned>(graph.getNodes().size());
  for (auto [index, input] : llvm::enumerate(section.inputs))
    cut[input] = {count + static_cast<unsigned>(index), 0};
  for (const CheckedNode &checked : graph.getNodes()) {
    ControlNode node{checked.getName(), checked.getOp(), {}, {}};
    for (TensorId operand : checked.operands) {
      auto input = cut.find(operand);
      node.operands.push_back(input != cut.end() ? input->second
                                                 : Port{unsigned(operand.node), unsigned(operand.result)});
    }
    node.controls.append(checked.controls.begin(), checked.controls.end());
    if (const tensorflow::AttrValue *frame = findAttribute(*checked.proto, "frame_name"))
      node.frame = frame->s();
    nodes.push_back(std::move(node));
  }
  for (TensorId input : section.inputs)
    nodes.push_back({graph.getNode(input.node).getName(), "Placeholder", {}, {}});
  return nodes;
}

//===----------------------------------------------------------------------===//
// 2. The result with names
//===----------------------------------------------------------------------===//

struct Raised {
  Raised(GraphView &flat, const CheckedGraph &graph, const Section &section)
      : flat(flat), graph(graph), section(section), nodes(describeNodes(graph, section)) {
    for (auto [index, node] : llvm::enumerate(section.nodes))
      places[node] = index;
  }

  LogicalResult raise();
  StringRef nameOf(Port port) const;
  SmallVector<StringRef> namesOf(ArrayRef<Port> ports) const {
    return llvm::map_to_vector(ports, [&](Port port) { return nameOf(port); });
  }

  GraphView &flat;
  const CheckedGraph &graph;
  const Section &section;
  std::vector<ControlNode> nodes;
  RaisedGraph raised;
  llvm::DenseMap<unsigned, size_t> places; ///< indices in the section, by node of the graph
  mutable llvm::BumpPtrAllocator memory;
  mutable llvm::UniqueStringSaver names{memory};

private:
  std::optional<bool> readPredicate(Port port);
};

/// Returns `node` for the first result of a node, and `node:k` for result k. A constant k is `:k`, because no node has
/// a colon in its name.
StringRef Raised::nameOf(Port port) const {
  if (port.isNumber())
    return names.save(":" + Twine(port.result));
  if (port.node >= graph.getNodes().size()) {
    TensorId input = section.inputs[port.node - graph.getNodes().size()];
    port = {unsigned(input.node), unsigned(input.result)};
  }
  StringRef name = nodes[port.node].name;
  return port.result ? names.save(name + ":" + Twine(port.result)) : name;
}

std::optional<bool> Raised::readPredicate(Port port) {
  if (nodes[port.node].op != "Const" || port.result != 0)
    return std::nullopt;
  FailureOr<ElementsAttr> value = flat.readConstant(nodes[port.node].name);
  if (failed(value) || value->getNumElements() != 1 || !value->getElementType().isInteger(1))
    return std::nullopt; // the reader of the value reports the error
  return *value->value_begin<bool>();
}

LogicalResult Raised::raise() {
  SmallVector<Port> outputs;
  for (TensorId output : section.outputs) {
    auto input = llvm::find(section.inputs, output);
    auto behind = static_cast<unsigned>(graph.getNodes().size() + (input - section.inputs.begin()));
    outputs.push_back(input != section.inputs.end() ? Port{behind, 0}
                                                    : Port{unsigned(output.node), unsigned(output.result)});
  }
  auto result = raiseControl(nodes, outputs, [&](Port port) { return readPredicate(port); });
  if (auto *problem = std::get_if<ControlProblem>(&result))
    return emitError(graph.getLocation(nodes[problem->node].name)) << problem->message;
  raised = std::get<RaisedGraph>(std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Parts
//===----------------------------------------------------------------------===//

class PartView : public GraphView {
public:
  /// Creates the view of `part`. If `isWhole`, it has the inputs and outputs of the section, and `arguments` must be
  /// empty.
  PartView(std::shared_ptr<const Raised> raised, const RaisedPart &part, ArrayRef<Port> arguments, bool isWhole);

  SmallVector<GraphValue> getInputs() const override;
  SmallVector<GraphValue> getOutputs() const override;
  size_t getNumNodes() const override { return items.size() + renamed.size(); }
  GraphNode getNode(size_t index) const override;
  FailureOr<SmallVector<NamedAttribute>> readAttributes(size_t index) override;
  std::unique_ptr<GraphView> openGraph(size_t index, StringRef attribute) override;
  std::unique_ptr<GraphView> openFunction(size_t index) override;
  bool hasConstant(StringRef name) const override;
  FailureOr<ElementsAttr> readConstant(StringRef name) override;

private:
  const RaisedConditional &getConditional(size_t index) const {
    return raised->raised.conditionals[items[index].index];
  }
  const RaisedLoop &getLoop(size_t index) const { return raised->raised.loops[items[index].index]; }
  GraphNode getConditionalNode(const RaisedConditional &conditional) const;
  GraphNode getLoopNode(const RaisedLoop &loop) const;

  std::shared_ptr<const Raised> raised;
  const RaisedPart &part;
  SmallVector<Port> arguments;
  bool isWhole;
  std::vector<RaisedItem> items;  ///< items of the part, without constants and inputs
  std::vector<GraphNode> renamed; ///< nodes after `items`: copies that give outputs their names in the file
};

PartView::PartView(std::shared_ptr<const Raised> given, const RaisedPart &part, ArrayRef<Port> arguments, bool isWhole)
    : GraphView(given->graph.getLocation()), raised(std::move(given)), part(part), arguments(arguments),
      isWhole(isWhole) {
  for (RaisedItem item : part.items)
    if (item.kind != RaisedItem::Kind::Node || raised->places.contains(item.index))
      items.push_back(item);
  if (!isWhole)
    return;
  for (auto [output, port] : llvm::zip_equal(raised->flat.getOutputs(), part.results))
    if (output.getSource() != raised->nameOf(port))
      renamed.push_back({"Identity",
                         {},
                         &getOperators(),
                         /*version=*/0,
                         raised->graph.getLocation(output.name),
                         {raised->nameOf(port)},
                         {output.getSource()}});
}

SmallVector<GraphValue> PartView::getInputs() const {
  if (isWhole)
    return raised->flat.getInputs();
  return llvm::map_to_vector(arguments, [&](Port port) { return GraphValue{raised->nameOf(port), {}}; });
}

SmallVector<GraphValue> PartView::getOutputs() const {
  if (isWhole)
    return raised->flat.getOutputs();
  return llvm::map_to_vector(part.results, [&](Port port) { return GraphValue{raised->nameOf(port), {}}; });
}

GraphNode PartView::getConditionalNode(const RaisedConditional &conditional) const {
  const ControlNode &merge = raised->nodes[conditional.values.front().node];
  GraphNode node{merge.op, {}, &getOperators(), /*version=*/0, raised->graph.getLocation(merge.name), {}, {}};
  node.operands = {raised->nameOf(conditional.predicate)};
  node.results = raised->namesOf(conditional.values);
  node.graphs = {"then", "else"};
  node.captures.append(raised->namesOf(conditional.captures));
  return node;
}

GraphNode PartView::getLoopNode(const RaisedLoop &loop) const {
  const ControlNode &condition = raised->nodes[loop.node];
  GraphNode node{condition.op, {}, &getOperators(), /*version=*/0, raised->graph.getLocation(condition.name), {}, {}};
  for (const CarriedValue &carried : loop.carried) {
    node.operands.push_back(raised->nameOf(carried.init));
    node.results.push_back(raised->nameOf(carried.value));
  }
  for (const LoopCount &count : loop.counts)
    node.operands.append({raised->nameOf(count.limit), raised->nameOf(count.step)});
  node.graphs = {"condition", "body"};
  node.captures.append(raised->namesOf(loop.captures));
  return node;
}

GraphNode PartView::getNode(size_t index) const {
  if (index >= items.size())
    return renamed[index - items.size()];
  RaisedItem item = items[index];
  if (item.kind == RaisedItem::Kind::Conditional)
    return getConditionalNode(getConditional(index));
  if (item.kind == RaisedItem::Kind::Loop)
    return getLoopNode(getLoop(index));
  GraphNode node = raised->flat.getNode(raised->places.lookup(item.index));
  node.operands = raised->namesOf(raised->raised.operands[item.index]);
  return node;
}

/// Returns the attributes of a loop: the number of carried values, and three integers for each count. These are the
/// index of the carried value, the comparison, and 1 if the step is subtracted.
FailureOr<SmallVector<NamedAttribute>> PartView::readAttributes(size_t index) {
  SmallVector<NamedAttribute> attributes;
  if (index >= items.size())
    return attributes;
  RaisedItem item = items[index];
  if (item.kind == RaisedItem::Kind::Node)
    return raised->flat.readAttributes(raised->places.lookup(item.index));
  if (item.kind == RaisedItem::Kind::Conditional)
    return attributes;
  const RaisedLoop &loop = getLoop(index);
  Builder builder(getLocation().getContext());
  SmallVector<int64_t> counts;
  for (const LoopCount &count : loop.counts)
    counts.append({int64_t(count.carried), int64_t(count.comparison), int64_t(count.isSubtracted)});
  attributes.push_back(builder.getNamedAttr("carried", builder.getI64IntegerAttr(int64_t(loop.carried.size()))));
  attributes.push_back(builder.getNamedAttr("counts", builder.getDenseI64ArrayAttr(counts)));
  attributes.push_back(builder.getNamedAttr("is_counted", builder.getI64IntegerAttr(loop.isCounted)));
  return attributes;
}

std::unique_ptr<GraphView> PartView::openGraph(size_t index, StringRef attribute) {
  if (items[index].kind == RaisedItem::Kind::Conditional) {
    const RaisedPart &side = getConditional(index).parts[attribute == "then"];
    return std::make_unique<PartView>(raised, side, ArrayRef<Port>(), /*isWhole=*/false);
  }
  const RaisedLoop &loop = getLoop(index);
  SmallVector<Port> carried = llvm::map_to_vector(loop.carried, [](const CarriedValue &value) { return value.value; });
  return std::make_unique<PartView>(raised, attribute == "body" ? loop.body : loop.condition, carried,
                                    /*isWhole=*/false);
}

std::unique_ptr<GraphView> PartView::openFunction(size_t index) {
  bool isNode = index < items.size() && items[index].kind == RaisedItem::Kind::Node;
  return isNode ? raised->flat.openFunction(raised->places.lookup(items[index].index)) : nullptr;
}

bool PartView::hasConstant(StringRef name) const {
  return isWhole && (name.starts_with(":") || raised->flat.hasConstant(name));
}

FailureOr<ElementsAttr> PartView::readConstant(StringRef name) {
  int32_t number = 0;
  if (!name.starts_with(":") || name.drop_front().getAsInteger(10, number))
    return raised->flat.readConstant(name);
  Builder builder(getLocation().getContext());
  return ElementsAttr(DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()), number));
}

} // namespace

bool hasControlFlow(const CheckedGraph &graph, const Section &section) {
  return llvm::any_of(section.nodes, [&](int node) {
    ControlKind kind = getControlKind(graph.getNode(node).getOp());
    return kind != ControlKind::None && kind != ControlKind::Identity;
  });
}

FailureOr<std::unique_ptr<GraphView>> raiseView(GraphView &flat, const CheckedGraph &graph, const Section &section) {
  auto raised = std::make_shared<Raised>(flat, graph, section);
  if (failed(raised->raise()))
    return failure();
  return std::unique_ptr<GraphView>(
      std::make_unique<PartView>(raised, raised->raised.main, ArrayRef<Port>(), /*isWhole=*/true));
}

} // namespace nacre::importer::tensorflow_format
