// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a part of a model: the nodes between tensors that the user names.

#include "compiler/import/model/CutModel.h"

#include "compiler/import/model/NodeNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nacre::importer {
namespace {

class CutGraph : public GraphView {
public:
  explicit CutGraph(GraphView &graph) : GraphView(graph.getLocation()), graph(graph) {}

  LogicalResult cut(const ImportOptions &options);

  SmallVector<GraphValue> getInputs() const override { return inputs; }
  SmallVector<GraphValue> getOutputs() const override { return outputs; }
  size_t getNumNodes() const override { return nodes.size(); }
  GraphNode getNode(size_t index) const override { return hideCut(graph.getNode(nodes[index])); }
  FailureOr<SmallVector<NamedAttribute>> readAttributes(size_t node) override {
    return graph.readAttributes(nodes[node]);
  }
  std::unique_ptr<GraphView> openGraph(size_t node, StringRef attribute) override {
    return graph.openGraph(nodes[node], attribute);
  }
  std::unique_ptr<GraphView> openFunction(size_t node) override { return graph.openFunction(nodes[node]); }
  bool hasConstant(StringRef name) const override { return graph.hasConstant(name); }
  FailureOr<ElementsAttr> readConstant(StringRef name) override { return graph.readConstant(name); }
  FailureOr<DictionaryAttr> readQuantization(StringRef name) override { return graph.readQuantization(name); }

private:
  LogicalResult refuse(StringRef option, StringRef name) const;
  LogicalResult nameInputs(const ImportOptions &options);
  LogicalResult nameOutputs(const ImportOptions &options);
  bool addAssigned(const llvm::StringSet<> &wanted);
  void reachFromOutputs(llvm::StringSet<> &wanted);
  LogicalResult reachNodes();
  GraphNode hideCut(GraphNode node) const {
    for (StringRef &result : node.results)
      result = cutNames.contains(result) ? StringRef() : result;
    return node;
  }

  GraphView &graph;
  llvm::StringMap<size_t> producers;
  llvm::StringSet<> cutNames;
  SmallVector<GraphValue> inputs, outputs;
  SmallVector<GraphValue> assigned; ///< assignments to variables that the cut graph does not have yet
  SmallVector<size_t> nodes;
};

LogicalResult CutGraph::refuse(StringRef option, StringRef name) const {
  SmallVector<StringRef> known(producers.keys());
  const SmallVector<GraphValue> declared = graph.getInputs();
  for (const GraphValue &input : declared)
    known.push_back(input.name);
  llvm::sort(known); // sorted, because a map has no order, but a message needs one
  return refuseName(graph.getLocation(), option, name, known);
}

LogicalResult CutGraph::nameInputs(const ImportOptions &options) {
  inputs = graph.getInputs();
  size_t numNamed = 0;
  for (const std::string &name : options.inputs) {
    if (!cutNames.insert(name).second)
      return emitError(graph.getLocation()) << "--input must name each tensor once, but names '" << name << "' twice";
    auto known = llvm::find_if(inputs, [&](const GraphValue &input) { return input.name == name; });
    GraphValue value;
    if (known != inputs.end()) {
      value = *known;
      inputs.erase(known);
    } else if (auto producer = producers.find(name); producer != producers.end()) {
      emitRemark(graph.getLocation(name)) << "the model does not state the type of this tensor; float is assumed";
      value = {producer->first(), {Builder(graph.getLocation().getContext()).getF32Type(), {}, {}}};
    } else {
      return refuse("--input", name);
    }
    inputs.insert(inputs.begin() + numNamed++, value);
  }
  return success();
}

LogicalResult CutGraph::nameOutputs(const ImportOptions &options) {
  SmallVector<GraphValue> declared = graph.getOutputs();
  llvm::StringSet<> names;
  for (const std::string &name : options.outputs) {
    if (!names.insert(name).second)
      return emitError(graph.getLocation()) << "--output must name each tensor once, but names '" << name << "' twice";
    auto known = llvm::find_if(declared, [&](const GraphValue &output) { return output.name == name; });
    auto producer = producers.find(name);
    if (known != declared.end())
      outputs.push_back(*known);
    else if (producer != producers.end())
      outputs.push_back({producer->first(), {}});
    else
      return refuse("--output", name);
  }
  if (outputs.empty())
    outputs = std::move(declared);
  else
    llvm::copy_if(declared, std::back_inserter(assigned),
                  [](const GraphValue &value) { return !value.variable.empty(); });
  return success();
}

/// Adds the assignments of variables that the part reads, because the next values of these variables are needed, too.
/// Returns true if it added any.
bool CutGraph::addAssigned(const llvm::StringSet<> &wanted) {
  auto isRead = [&](const GraphValue &output) {
    return llvm::any_of(inputs, [&](const GraphValue &input) {
      return input.variable == output.variable && wanted.contains(input.getSource());
    });
  };
  const size_t count = outputs.size();
  llvm::copy_if(assigned, std::back_inserter(outputs), isRead);
  llvm::erase_if(assigned, isRead);
  return outputs.size() > count;
}

/// Removes nodes that the outputs do not need, and inputs that neither the outputs need nor the user names.
LogicalResult CutGraph::reachNodes() {
  llvm::StringSet<> wanted;
  do {
    reachFromOutputs(wanted);
  } while (addAssigned(wanted));
  for (const GraphValue &input : inputs)
    if (cutNames.contains(input.name) && !wanted.contains(input.getSource()))
      return emitError(graph.getLocation(input.name))
             << "--input must name tensors that an output depends on, but no output depends on this one";
  llvm::erase_if(inputs, [&](const GraphValue &input) { return !wanted.contains(input.getSource()); });
  return success();
}

void CutGraph::reachFromOutputs(llvm::StringSet<> &wanted) {
  nodes.clear();
  for (const GraphValue &output : outputs)
    wanted.insert(output.getSource());
  for (size_t index = graph.getNumNodes(); index-- > 0;) {
    GraphNode node = hideCut(graph.getNode(index));
    if (llvm::none_of(node.results, [&](StringRef result) { return !result.empty() && wanted.contains(result); }))
      continue;
    nodes.push_back(index);
    for (StringRef operand : node.operands)
      wanted.insert(operand);
    for (StringRef capture : node.captures)
      wanted.insert(capture);
  }
  std::reverse(nodes.begin(), nodes.end());
}

LogicalResult CutGraph::cut(const ImportOptions &options) {
  for (size_t index = 0; index < graph.getNumNodes(); ++index)
    for (StringRef result : graph.getNode(index).results)
      if (!result.empty())
        producers[result] = index;
  return success(succeeded(nameInputs(options)) && succeeded(nameOutputs(options)) && succeeded(reachNodes()));
}

class CutModel : public ModelView {
public:
  explicit CutModel(std::unique_ptr<ModelView> whole) : whole(std::move(whole)), graph(this->whole->getGraph()) {}

  LogicalResult cut(const ImportOptions &options) { return graph.cut(options); }
  GraphView &getGraph() override { return graph; }
  std::string normalizeName(StringRef name) const override { return whole->normalizeName(name); }
  std::optional<MemoryCap> getMemoryCap() const override { return whole->getMemoryCap(); }
  FailureOr<StoredTensor> readTensorFile(const FileBytes &bytes, Location loc) override {
    return whole->readTensorFile(bytes, loc);
  }

private:
  std::unique_ptr<ModelView> whole;
  CutGraph graph;
};

} // namespace

FailureOr<std::unique_ptr<ModelView>> cutModel(std::unique_ptr<ModelView> model, const ImportOptions &options) {
  if (options.inputs.empty() && options.outputs.empty())
    return model;
  auto result = std::make_unique<CutModel>(std::move(model));
  if (failed(result->cut(options)))
    return failure();
  return std::unique_ptr<ModelView>(std::move(result));
}

} // namespace nacre::importer
