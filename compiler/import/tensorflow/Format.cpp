// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorFlow as an input format of the importer.
//
// How:  1. the view of a checked graph, as the importer walks over it,
//       2. the view of a model: a graph for each requested signature.

#include "compiler/import/tensorflow/Format.h"

#include "compiler/import/tensorflow/Attributes.h"
#include "compiler/import/tensorflow/Operators.h"
#include "compiler/import/tensorflow/RaisedView.h"
#include "compiler/import/tensorflow/Reader.h"
#include "compiler/import/tensorflow/graph/FileRoot.h"
#include "compiler/import/tensorflow/graph/Results.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/StringSaver.h"
#include <set>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. The view of a graph
//===----------------------------------------------------------------------===//

class TensorFlowGraph : public GraphView {
public:
  TensorFlowGraph(TensorFlowModel &model, const TensorFlowEntry &entry, const ImportOptions &options);

  /// Raises the control flow if the graph has branches or loops.
  LogicalResult raise();

  /// Returns the graph to import: the raised one if there is control flow.
  GraphView &getComputed() { return raised ? *raised : *this; }

  /// Returns the user's name of a tensor, or nullopt if the graph does not have the tensor.
  std::optional<std::string> findName(StringRef name) const;

  SmallVector<GraphValue> getInputs() const override { return inputs; }
  SmallVector<GraphValue> getOutputs() const override;
  size_t getNumNodes() const override { return section.nodes.size(); }
  GraphNode getNode(size_t index) const override;
  FailureOr<SmallVector<NamedAttribute>> readAttributes(size_t node) override;
  bool hasConstant(StringRef name) const override;
  FailureOr<ElementsAttr> readConstant(StringRef name) override;

private:
  const CheckedNode &getChecked(size_t index) const { return graph.getNode(section.nodes[index]); }
  GraphValue readKept(const KeptVariable &kept) const;
  DeclaredType readDeclared(TensorId tensor, const tensorflow::TensorInfo *info, bool hasGivenShape) const;
  StringRef nameOf(TensorId tensor) const;

  TensorFlowModel &model;
  const TensorFlowEntry &entry;
  const CheckedGraph &graph;
  const Section &section;
  SmallVector<GraphValue> inputs;
  std::set<TensorId> cut, read;    ///< `cut`: tensors that are inputs; `read`: tensors that a node or an output reads
  const std::set<TensorId> halves; ///< tensors that are read as f16, even if another type is declared
  std::unique_ptr<GraphView> raised;
  mutable llvm::BumpPtrAllocator memory;
  mutable llvm::UniqueStringSaver names{memory};
};

/// Returns the tensors that all readers read as f16. The attribute T is the type of the first operand if this is a real
/// number. Other operands can have other types.
std::set<TensorId> findHalves(const CheckedGraph &graph, const Section &section) {
  std::set<TensorId> halves, others(section.outputs.begin(), section.outputs.end());
  for (int id : section.nodes) {
    const CheckedNode &node = graph.getNode(id);
    const tensorflow::AttrValue *type = findAttribute(*node.proto, "T");
    bool takesHalf = type && type->type() == tensorflow::DT_HALF;
    for (auto [index, operand] : llvm::enumerate(node.operands))
      (takesHalf && index == 0 ? halves : others).insert(operand);
  }
  for (TensorId other : others)
    halves.erase(other);
  return halves;
}

TensorFlowGraph::TensorFlowGraph(TensorFlowModel &model, const TensorFlowEntry &entry, const ImportOptions &options)
    : GraphView(model.getGraph().getLocation()), model(model), entry(entry), graph(model.getGraph()),
      section(entry.section), halves(findHalves(graph, section)) {
  const size_t firstKept = section.inputs.size() - entry.kept.size();
  for (auto [index, input] : llvm::enumerate(section.inputs)) {
    cut.insert(input);
    if (index >= firstKept) {
      inputs.push_back(readKept(entry.kept[index - firstKept]));
      continue;
    }
    // Inputs after the signature's inputs are placeholders that the signature omits.
    bool isKeyed = index < entry.inputs.size();
    StringRef name = isKeyed ? entry.inputs[index].key : nameOf(input);
    bool hasGivenShape = options.shapes.count(name.str()) != 0;
    for (const auto &given : options.shapes)
      hasGivenShape |= graph.findTensor(given.first) == input;
    const tensorflow::TensorInfo *info = isKeyed ? entry.inputs[index].info : nullptr;
    inputs.push_back({name, readDeclared(input, info, hasGivenShape), /*hasDefault=*/false, nameOf(input)});
  }
  read.insert(section.outputs.begin(), section.outputs.end());
  for (int node : section.nodes)
    read.insert(graph.getNode(node).operands.begin(), graph.getNode(node).operands.end());
}

/// Returns a kept variable as an input, with the element type and shape of its initial value.
GraphValue TensorFlowGraph::readKept(const KeptVariable &kept) const {
  StringRef name = graph.getNode(kept.node).getName();
  auto type = cast<ShapedType>(kept.initial.getType());
  GraphValue value{name, {type.getElementType(), {}, SmallVector<Dimension>()}};
  for (int64_t size : type.getShape())
    value.type.shape->push_back({size, {}});
  value.variable = name;
  value.initial = kept.initial;
  value.role = kept.role;
  return value;
}

LogicalResult TensorFlowGraph::raise() {
  if (!hasControlFlow(graph, section))
    return success();
  FailureOr<std::unique_ptr<GraphView>> view = raiseView(*this, graph, section);
  if (succeeded(view))
    raised = std::move(*view);
  return view;
}

/// Returns `node` for the first result of a node, and `node:k` for result k.
StringRef TensorFlowGraph::nameOf(TensorId tensor) const {
  StringRef node = graph.getNode(tensor.node).getName();
  return tensor.result ? names.save(node + ":" + Twine(tensor.result)) : node;
}

std::optional<std::string> TensorFlowGraph::findName(StringRef name) const {
  std::optional<TensorId> tensor = graph.findTensor(name);
  for (auto [input, value] : llvm::zip_equal(section.inputs, inputs))
    if (value.name == name || tensor == input)
      return value.name.str();
  return tensor ? std::optional(nameOf(*tensor).str()) : std::nullopt;
}

/// Returns the type that the node declares, with the shape that the signature `info` declares. The signature's element
/// type is ignored, because it can be wrong. A scalar placeholder may have had an unknown shape when it was written, so
/// a shape from the user has priority.
DeclaredType TensorFlowGraph::readDeclared(TensorId tensor, const tensorflow::TensorInfo *info,
                                           bool hasGivenShape) const {
  const tensorflow::NodeDef &node = *graph.getNode(tensor.node).proto;
  DeclaredType type;
  int number = getResultType(node, tensor.result);
  // Tools that convert a graph to f16 can leave inputs declared as f32.
  if (number == tensorflow::DT_FLOAT && halves.count(tensor)) {
    emitRemark(graph.getLocation(tensor.node))
        << "is declared as floats, but holds halves, because all nodes that read it take halves";
    number = tensorflow::DT_HALF;
  }
  type.elementType = fromDataType(number, getLocation().getContext());
  if (!type.elementType && number != tensorflow::DT_INVALID)
    type.name = getDataTypeName(number);
  std::optional<SmallVector<int64_t>> shape;
  const tensorflow::AttrValue *own = findAttribute(node, "shape"), *hints = findAttribute(node, "_output_shapes");
  if (info)
    shape = readShape(info->tensor_shape());
  if (!shape && own && own->value_case() == tensorflow::AttrValue::kShape)
    shape = readShape(own->shape());
  if (!shape && hints && tensor.result < hints->list().shape_size())
    shape = readShape(hints->list().shape(tensor.result));
  if (!shape || (shape->empty() && hasGivenShape))
    return type;
  type.shape.emplace();
  for (int64_t size : *shape)
    type.shape->push_back({size, {}});
  return type;
}

SmallVector<GraphValue> TensorFlowGraph::getOutputs() const {
  SmallVector<GraphValue> outputs, assigned;
  for (const KeptVariable &kept : entry.kept)
    if (kept.isAssigned)
      assigned.push_back(readKept(kept));
  const size_t firstAssigned = section.outputs.size() - assigned.size();
  for (auto [index, output] : llvm::enumerate(section.outputs)) {
    if (index >= firstAssigned) {
      outputs.push_back(assigned[index - firstAssigned]);
      outputs.back().source = nameOf(output);
      continue;
    }
    StringRef name = index < entry.outputs.size() ? entry.outputs[index].key : nameOf(output);
    outputs.push_back({name, {}, /*hasDefault=*/false, nameOf(output)});
  }
  return outputs;
}

GraphNode TensorFlowGraph::getNode(size_t index) const {
  const CheckedNode &checked = getChecked(index);
  int id = section.nodes[index];
  GraphNode node{checked.getOp(), {}, &getOperators(), /*version=*/0, graph.getLocation(id), {}, {}};
  for (TensorId operand : checked.operands)
    node.operands.push_back(nameOf(operand));
  node.results.resize(countResults(*checked.proto));
  auto last = read.lower_bound({id + 1, 0});
  for (auto result = read.lower_bound({id, 0}); result != last; ++result) {
    if (result->result >= static_cast<int>(node.results.size()))
      node.results.resize(result->result + 1);
    node.results[result->result] = cut.count(*result) ? StringRef() : nameOf(*result);
  }
  return node;
}

FailureOr<SmallVector<NamedAttribute>> TensorFlowGraph::readAttributes(size_t index) {
  const tensorflow::NodeDef &node = *getChecked(index).proto;
  return tensorflow_format::readAttributes(node, model, graph.getLocation(section.nodes[index]));
}

bool TensorFlowGraph::hasConstant(StringRef name) const {
  std::optional<int> node = graph.find(name);
  return node && (graph.getNode(*node).getOp() == "Const" || isVariable(graph.getNode(*node)));
}

FailureOr<ElementsAttr> TensorFlowGraph::readConstant(StringRef name) {
  if (!hasConstant(name))
    return emitError(getLocation(name)) << "is not a result of the node, which has fewer";
  return model.readConstant(*graph.find(name), getLocation(name));
}

//===----------------------------------------------------------------------===//
// 2. The view of a model
//===----------------------------------------------------------------------===//

class TensorFlowView : public ModelView {
public:
  TensorFlowView(std::unique_ptr<TensorFlowModel> checked, const ImportOptions &options) : model(std::move(checked)) {
    for (const TensorFlowEntry &entry : model->getEntries())
      graphs.push_back(std::make_unique<TensorFlowGraph>(*model, entry, options));
  }

  /// Raises the control flow of all graphs.
  LogicalResult raise() {
    for (const std::unique_ptr<TensorFlowGraph> &graph : graphs)
      if (failed(graph->raise()))
        return failure();
    return success();
  }

  GraphView &getGraph() override { return graphs.front()->getComputed(); }
  SmallVector<ModelEntry> getEntries() override {
    SmallVector<ModelEntry> entries;
    for (auto [entry, graph] : llvm::zip_equal(model->getEntries(), graphs))
      entries.push_back({entry.name, &graph->getComputed()});
    return entries;
  }
  std::string normalizeName(StringRef name) const override {
    for (const std::unique_ptr<TensorFlowGraph> &graph : graphs)
      if (std::optional<std::string> known = graph->findName(name))
        return *known;
    return name.str();
  }

private:
  std::unique_ptr<TensorFlowModel> model;
  std::vector<std::unique_ptr<TensorFlowGraph>> graphs;
};

bool claims(const ModelFile &file) { return findRoot(file.getBuffer()).has_value(); }

SmallVector<OperatorSet> getOperatorSets() { return {{"", &getOperators()}}; }

FailureOr<std::unique_ptr<ModelView>> read(const ModelFile &file, const ImportOptions &options, MLIRContext *context) {
  FailureOr<std::unique_ptr<TensorFlowModel>> model = TensorFlowModel::read(file, options, context);
  if (failed(model))
    return failure();
  auto view = std::make_unique<TensorFlowView>(std::move(*model), options);
  if (failed(view->raise()))
    return failure();
  return std::unique_ptr<ModelView>(std::move(view));
}

constexpr llvm::StringLiteral filesOfFolder[] = {"saved_model.pb", "saved_model.pbtxt"};

} // namespace

const Format format = {"a TensorFlow graph or saved model",
                       "TensorFlow",
                       claims,
                       read,
                       getOperatorSets,
                       /*hasSignatures=*/true,
                       filesOfFolder};

} // namespace nacre::importer::tensorflow_format
