// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a graph that is computed: from its inputs to its outputs.
//
// How:  1. the tensors that the user names,
//       2. default outputs: tensors that no node reads, in the largest connected part of the graph,
//       3. the nodes that outputs depend on. An input of strings is an error, which suggests a later tensor at which to
//          cut the graph.

#include "compiler/import/tensorflow/Section.h"

#include "compiler/import/model/NodeNames.h"
#include "compiler/import/tensorflow/control/ControlGraph.h"
#include "compiler/import/tensorflow/graph/File.h"
#include "compiler/import/tensorflow/graph/Results.h"
#include "compiler/import/tensorflow/graph/TrainedOperands.h"
#include "compiler/import/tensorflow/saved/RestoredVariables.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// True for constants and for variables. Variables that a run writes become inputs (saved/WrittenVariables.h).
bool isConstant(const CheckedNode &node) { return node.getOp() == "Const" || isVariable(node); }

bool isNumeric(const CheckedNode &node, int result) {
  int type = getResultType(*node.proto, result) % 100;
  return type != tensorflow::DT_STRING && type != tensorflow::DT_RESOURCE && type != tensorflow::DT_VARIANT;
}

//===----------------------------------------------------------------------===//
// 1. Tensors that the user names
//===----------------------------------------------------------------------===//

FailureOr<TensorId> findNamed(const CheckedGraph &graph, StringRef option, StringRef name) {
  std::optional<TensorId> tensor = graph.findTensor(name);
  if (tensor)
    return *tensor;
  SmallVector<StringRef> known;
  for (const CheckedNode &node : graph.getNodes())
    known.push_back(node.getName());
  return refuseName(graph.getLocation(), option, name, known);
}

LogicalResult findNamed(const CheckedGraph &graph, StringRef option, ArrayRef<std::string> names,
                        std::vector<TensorId> &tensors) {
  for (StringRef name : names) {
    FailureOr<TensorId> tensor = findNamed(graph, option, name);
    if (failed(tensor))
      return failure();
    if (llvm::is_contained(tensors, *tensor))
      return emitError(graph.getLocation())
             << option << " must name each tensor once, but names '" << name << "' twice";
    tensors.push_back(*tensor);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Default outputs
//===----------------------------------------------------------------------===//

/// True if a node that no other node reads is not a result of the model.
bool isLeftover(const CheckedGraph &graph, const CheckedNode &node) {
  constexpr StringRef leftovers[] = {"NoOp",          "Const",      "Assert",     "Print",   "PrintV2",
                                     "SaveV2",        "Save",       "RestoreV2",  "Restore", "Placeholder",
                                     "PlaceholderV2", "VariableV2", "VarHandleOp"};
  // Updates belong to training, even if freezing has made a constant of the updated variable.
  bool assigns = countTrainedOperands(node.getOp()) != 0;
  assigns |= node.getOp().starts_with("Assign") && !node.operands.empty() &&
             (node.getOp() != "Assign" || findVariable(graph, node.operands[0]));
  return assigns || llvm::is_contained(leftovers, node.getOp());
}

/// True if the node only binds other nodes to one side of a branch: a Switch, or an Identity of a Switch.
bool isPivot(const CheckedGraph &graph, const CheckedNode &node) {
  const CheckedNode *source = &node;
  if (node.getOp() == "Identity" && !node.operands.empty())
    source = &graph.getNode(node.operands.front().node);
  return getControlKind(source->getOp()) == ControlKind::Switch;
}

std::string join(const CheckedGraph &graph, ArrayRef<int> nodes) {
  constexpr size_t most = 8;
  std::string text =
      llvm::join(llvm::map_range(nodes.take_front(most),
                                 [&](int node) { return "'" + graph.getNode(node).getName().str() + "'"; }),
                 ", ");
  return nodes.size() > most ? text + " and " + std::to_string(nodes.size() - most) + " more" : text;
}

/// Returns the connected parts of the graph. Only data edges connect nodes, and shared constants do not.
llvm::EquivalenceClasses<int> findParts(const CheckedGraph &graph) {
  llvm::EquivalenceClasses<int> parts;
  for (int node = 0; node < static_cast<int>(graph.getNodes().size()); ++node) {
    parts.insert(node);
    for (TensorId operand : graph.getNode(node).operands)
      if (!isConstant(graph.getNode(operand.node)))
        parts.unionSets(node, operand.node);
  }
  return parts;
}

std::vector<TensorId> findOutputs(const CheckedGraph &graph, const CallResults &calls) {
  std::vector<bool> isRead(graph.getNodes().size(), false);
  for (const CheckedNode &node : graph.getNodes())
    for (TensorId operand : node.operands)
      isRead[operand.node] = true;
  llvm::EquivalenceClasses<int> parts = findParts(graph);
  llvm::DenseMap<int, size_t> sizes;
  for (int node = 0; node < static_cast<int>(graph.getNodes().size()); ++node)
    ++sizes[parts.getLeaderValue(node)];
  SmallVector<int> candidates;
  size_t largest = 0;
  for (auto [id, node] : llvm::enumerate(graph.getNodes())) {
    auto candidate = static_cast<int>(id);
    if (isRead[id] || !calls.isOutermost(id, node.getName()) || isLeftover(graph, node) || isPivot(graph, node) ||
        countResults(*node.proto) == 0 || !isNumeric(node, 0))
      continue;
    candidates.push_back(candidate);
    largest = std::max(largest, sizes[parts.getLeaderValue(candidate)]);
  }
  SmallVector<int> others;
  std::vector<TensorId> outputs;
  for (int candidate : candidates) {
    if (sizes[parts.getLeaderValue(candidate)] < largest) {
      others.push_back(candidate);
      continue;
    }
    const CheckedNode &node = graph.getNode(candidate);
    // Only the first result can be a default output. The other results of a Merge are for special readers, and those of
    // a batch normalization are for its gradient.
    bool givesOne = getControlKind(node.getOp()) == ControlKind::Merge || node.getOp().starts_with("FusedBatchNorm");
    int count = givesOne ? 1 : countResults(*node.proto);
    for (int result = 0; result < count; ++result)
      outputs.push_back({candidate, result});
  }
  if (!others.empty())
    emitRemark(graph.getLocation()) << "only the outputs of the largest connected part of the graph are compiled; "
                                    << join(graph, others)
                                    << " of other parts are omitted; name them with --output to include them";
  return outputs;
}

//===----------------------------------------------------------------------===//
// 3. Nodes that outputs reach
//===----------------------------------------------------------------------===//

/// Returns the name of the first node whose result is numeric and depends on `text`, a node of strings. Returns "" if
/// there is no such node.
std::string findNumbersBehind(const CheckedGraph &graph, int text) {
  std::set<int> behind = {text};
  for (int node : graph.getOrder()) {
    const CheckedNode &reader = graph.getNode(node);
    if (llvm::none_of(reader.operands, [&](TensorId operand) { return behind.count(operand.node) != 0; }))
      continue;
    if (countResults(*reader.proto) && isNumeric(reader, 0))
      return reader.getName().str();
    behind.insert(node);
  }
  return "";
}

LogicalResult checkInput(const CheckedGraph &graph, TensorId input) {
  if (isNumeric(graph.getNode(input.node), input.result))
    return success();
  InFlightDiagnostic error = emitError(graph.getLocation(input.node))
                             << "an input must hold numbers, but this one holds "
                             << getDataTypeName(getResultType(*graph.getNode(input.node).proto, input.result)) << "s";
  std::string behind = findNumbersBehind(graph, input.node);
  if (!behind.empty())
    error << "; cut the graph after it with --input=" << behind;
  return error;
}

/// True if the user must give the placeholder's shape. If only the size of the first axis is unknown, it is 1 by
/// default.
bool isOpen(const CheckedNode &placeholder) {
  const tensorflow::AttrValue *shape = findAttribute(*placeholder.proto, "shape");
  if (!shape || !shape->has_shape() || shape->shape().unknown_rank())
    return true;
  return shape->shape().dim_size() > 0 &&
         llvm::any_of(llvm::drop_begin(shape->shape().dim()), [](const auto &dim) { return dim.size() < 0; });
}

/// Returns the outputs that depend on `input`, over data or control edges.
SmallVector<int> findDependent(const CheckedGraph &graph, const Section &section, TensorId input) {
  std::vector<bool> depends(graph.getNodes().size(), false);
  depends[input.node] = true;
  // The order has no edges from one iteration to the next, so loops need more than one walk.
  for (bool changes = true; changes;) {
    changes = false;
    for (int id : section.nodes) {
      if (depends[id])
        continue;
      const CheckedNode &node = graph.getNode(id);
      depends[id] = llvm::any_of(node.operands, [&](TensorId operand) { return depends[operand.node]; }) ||
                    llvm::any_of(node.controls, [&](int control) { return depends[control]; });
      changes = changes || depends[id];
    }
  }
  SmallVector<int> dependent;
  for (TensorId output : section.outputs)
    if (depends[output.node] && !llvm::is_contained(dependent, output.node))
      dependent.push_back(output.node);
  return dependent;
}

/// Without --output: emits a note about inputs of unknown shape that only some outputs depend on. The user may leave
/// these outputs out. For example, a predicate may only select updates of training.
void noteAvoidable(const CheckedGraph &graph, const Section &section, const ImportOptions &options) {
  for (TensorId input : section.inputs) {
    const CheckedNode &node = graph.getNode(input.node);
    const std::string name = node.getName().str();
    if (!node.isPlaceholder() || !isOpen(node) || options.shapes.count(name) || options.values.count(name))
      continue;
    const SmallVector<int> dependent = findDependent(graph, section, input);
    if (llvm::any_of(section.outputs, [&](TensorId output) { return !llvm::is_contained(dependent, output.node); }))
      emitRemark(graph.getLocation(input.node))
          << "is an input only because of " << (dependent.size() == 1 ? "the output " : "the outputs ")
          << join(graph, dependent) << "; if you do not need it, name the others with --output";
  }
}

/// Returns the tensors that the section's nodes read, and its outputs.
std::set<TensorId> findRead(const CheckedGraph &graph, const Section &section) {
  std::set<TensorId> read(section.outputs.begin(), section.outputs.end());
  for (int node : section.nodes)
    read.insert(graph.getNode(node).operands.begin(), graph.getNode(node).operands.end());
  return read;
}

} // namespace

FailureOr<Section> findSection(const CheckedGraph &graph, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
  Section section{std::move(inputs), std::move(outputs), {}};
  const std::set<TensorId> cut(section.inputs.begin(), section.inputs.end());
  std::vector<bool> isReached(graph.getNodes().size(), false);
  std::vector<int> pending;
  auto reach = [&](TensorId tensor) {
    if (cut.count(tensor) || isReached[tensor.node])
      return;
    isReached[tensor.node] = true;
    pending.push_back(tensor.node);
  };
  llvm::for_each(section.outputs, reach);
  while (!pending.empty()) {
    int node = pending.back();
    pending.pop_back();
    llvm::for_each(graph.getNode(node).operands, reach);
    // A control edge from a pivot decides whether the node is computed.
    for (int control : graph.getNode(node).controls)
      if (isPivot(graph, graph.getNode(control)))
        reach({control, 0});
  }
  for (int node = 0; node < static_cast<int>(isReached.size()); ++node)
    if (isReached[node] && graph.getNode(node).isPlaceholder())
      section.inputs.push_back({node, 0});
  for (TensorId input : section.inputs)
    if (failed(checkInput(graph, input)))
      return failure();
  for (int node : graph.getOrder())
    if (isReached[node] && !isConstant(graph.getNode(node)) && !graph.getNode(node).isPlaceholder())
      section.nodes.push_back(node);
  return section;
}

FailureOr<Section> findReachedSection(const CheckedGraph &graph, std::vector<TensorId> inputs,
                                      std::vector<TensorId> outputs) {
  FailureOr<Section> section = findSection(graph, std::move(inputs), std::move(outputs));
  if (succeeded(section)) {
    const std::set<TensorId> read = findRead(graph, *section);
    llvm::erase_if(section->inputs, [&](TensorId input) { return !read.count(input); });
  }
  return section;
}

FailureOr<Section> findNamedTensors(const CheckedGraph &graph, const ImportOptions &options) {
  Section named;
  if (failed(findNamed(graph, "--input", options.inputs, named.inputs)) ||
      failed(findNamed(graph, "--output", options.outputs, named.outputs)))
    return failure();
  for (const auto &[name, value] : options.values) {
    std::optional<TensorId> tensor = graph.findTensor(name);
    if (tensor && !graph.getNode(tensor->node).isPlaceholder() && !llvm::is_contained(named.inputs, *tensor))
      named.inputs.push_back(*tensor);
  }
  return named;
}

FailureOr<Section> findSection(const CheckedGraph &graph, const ImportOptions &options, const CallResults &calls) {
  FailureOr<Section> named = findNamedTensors(graph, options);
  if (failed(named))
    return failure();
  std::vector<TensorId> outputs = std::move(named->outputs);
  if (outputs.empty())
    outputs = findOutputs(graph, calls);
  if (outputs.empty())
    return emitError(graph.getLocation())
           << "the graph must have a result that no node reads, but has none; name its outputs with --output";
  FailureOr<Section> section = findSection(graph, named->inputs, std::move(outputs));
  if (failed(section))
    return failure();
  if (options.outputs.empty())
    noteAvoidable(graph, *section, options);
  const std::set<TensorId> read = findRead(graph, *section);
  for (TensorId input : named->inputs)
    if (!read.count(input))
      return emitError(graph.getLocation(input.node))
             << "--input and --set must name tensors that an output depends on, but no output depends on '"
             << graph.getText(input) << "'";
  return section;
}

} // namespace nacre::importer::tensorflow_format
