// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks one graph of an ONNX file.
//
// 1. Names: every value is defined once. Every value that is read is defined here or in an outer graph.
// 2. Order: a valid order in the file is kept. Otherwise, the nodes are sorted, and cycles are errors.
// 3. Tensors that Gradient nodes differentiate: a Gradient follows the nodes that compute them, and does not contribute
// to them.

#include "compiler/import/onnx/graph/CheckedGraph.h"

#include "compiler/import/onnx/graph/DomainNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <queue>

using namespace mlir;

namespace nacre::importer::onnx_format {

SmallVector<StringRef> CheckedNode::getCaptures() const {
  llvm::SetVector<StringRef> captures;
  for (const NestedGraph &nested : graphs)
    captures.insert(nested.graph->getCaptures().begin(), nested.graph->getCaptures().end());
  return captures.takeVector();
}

FailureOr<std::unique_ptr<CheckedGraph>> CheckedGraph::read(const onnx::GraphProto &proto, const CheckedGraph *outer,
                                                            Location modelLoc) {
  std::unique_ptr<CheckedGraph> result(new CheckedGraph(&proto, nullptr, outer, modelLoc));
  if (failed(result->check()))
    return failure();
  return result;
}

FailureOr<std::unique_ptr<CheckedGraph>> CheckedGraph::read(const onnx::FunctionProto &proto, Location modelLoc) {
  std::unique_ptr<CheckedGraph> result(new CheckedGraph(nullptr, &proto, nullptr, modelLoc));
  if (failed(result->check()))
    return failure();
  return result;
}

LogicalResult CheckedGraph::check() {
  int position = 0;
  for (const onnx::NodeProto &node : graph ? graph->node() : function->node())
    nodes.push_back({&node, position++, {}});
  return success(succeeded(defineInputs()) && succeeded(defineInitializers()) && succeeded(defineResults()) &&
                 succeeded(readNestedGraphs()) && succeeded(checkReads()) && succeeded(checkOutputs()) &&
                 succeeded(sortNodes()) && succeeded(checkDepth()));
}

Location CheckedGraph::getLocation(StringRef valueName) const {
  return NameLoc::get(StringAttr::get(modelLoc.getContext(), valueName), modelLoc);
}

Location CheckedGraph::getLocation(const CheckedNode &node) const {
  const onnx::NodeProto &proto = *node.proto;
  if (!proto.name().empty())
    return getLocation(StringRef(proto.name()));
  std::string name = proto.op_type() + "#" + std::to_string(node.position);
  if (proto.output_size())
    name += ":" + proto.output(0);
  return getLocation(StringRef(name));
}

//===----------------------------------------------------------------------===//
// 1. Names
//===----------------------------------------------------------------------===//

LogicalResult CheckedGraph::defineInputs() {
  auto define = [&](StringRef name) -> LogicalResult {
    if (producers.try_emplace(name, -1).second)
      return success();
    return emitError(getLocation(name)) << "two inputs have this name; rename one";
  };
  if (function)
    return success(llvm::all_of(function->input(), [&](StringRef name) { return succeeded(define(name)); }));
  return success(
      llvm::all_of(graph->input(), [&](const onnx::ValueInfoProto &input) { return succeeded(define(input.name())); }));
}

LogicalResult CheckedGraph::defineInitializers() {
  if (function)
    return success();
  for (const onnx::TensorProto &initializer : graph->initializer()) {
    // An initializer with the name of an input is the default value of that input.
    producers.try_emplace(initializer.name(), -1);
    if (!initializers.try_emplace(initializer.name(), &initializer).second)
      return emitError(getLocation(initializer.name())) << "two initializers have this name; rename one";
  }
  for (const onnx::SparseTensorProto &sparse : graph->sparse_initializer()) {
    StringRef name = sparse.values().name();
    producers.try_emplace(name, -1);
    if (initializers.contains(name) || !sparseInitializers.try_emplace(name, &sparse).second)
      return emitError(getLocation(name)) << "two initializers have this name; rename one";
  }
  return success();
}

LogicalResult CheckedGraph::defineResults() {
  for (const CheckedNode &node : nodes)
    for (const std::string &output : node.proto->output())
      if (!output.empty() && !producers.try_emplace(output, node.position).second)
        return emitError(getLocation(node)) << "output '" << output << "' is already defined by another node or input";
  return success();
}

LogicalResult CheckedGraph::readNestedGraphs() {
  for (CheckedNode &node : nodes)
    for (const onnx::AttributeProto &attribute : node.proto->attribute()) {
      if (!attribute.has_g())
        continue;
      FailureOr<std::unique_ptr<CheckedGraph>> nested = read(attribute.g(), this, modelLoc);
      if (failed(nested))
        return failure();
      node.graphs.push_back({attribute.name(), std::move(*nested)});
    }
  return success();
}

/// True if a value of that name is defined here or in an outer graph. A value of an outer graph is recorded as a
/// capture.
bool CheckedGraph::isDefined(StringRef name) {
  if (producers.contains(name))
    return true;
  for (const CheckedGraph *around = outer; around; around = around->outer)
    if (around->producers.contains(name)) {
      captures.insert(name);
      return true;
    }
  return false;
}

LogicalResult CheckedGraph::checkReads() {
  for (CheckedNode &node : nodes) {
    if (failed(readDifferentiated(node)))
      return failure();
    for (const std::string &input : node.proto->input())
      if (!input.empty() && !isDefined(input))
        return emitError(getLocation(node))
               << "input '" << input << "' is not defined by any node, input or initializer";
    for (StringRef captured : node.getCaptures())
      isDefined(captured); // always true: the value is defined here, or is also a capture of this graph
  }
  return success();
}

LogicalResult CheckedGraph::checkOutputs() {
  llvm::StringSet<> outputs;
  auto check = [&](StringRef name) -> LogicalResult {
    if (!isDefined(name))
      return emitError(getLocation(name)) << "no node computes this output";
    // The outputs of a nested graph are identified by index, not by name.
    if (!outputs.insert(name).second && !outer)
      return emitError(getLocation(name)) << "two outputs have this name; rename one";
    return success();
  };
  bool areFine = function ? llvm::all_of(function->output(), [&](StringRef name) { return succeeded(check(name)); })
                          : llvm::all_of(graph->output(), [&](const onnx::ValueInfoProto &output) {
                              return succeeded(check(output.name()));
                            });
  if (!areFine)
    return failure();
  if (outputs.empty())
    return emitError(modelLoc) << "the graph must have an output, but has none";
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Order
//===----------------------------------------------------------------------===//

LogicalResult CheckedGraph::sortNodes() {
  // The next node is always the first one in the file whose inputs are computed, so a sorted file keeps its order.
  SmallVector<int> missing(nodes.size(), 0);
  SmallVector<SmallVector<int, 2>> readers(nodes.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (const CheckedNode &node : nodes) {
    SmallVector<StringRef> reads = node.getCaptures();
    reads.append(node.proto->input().begin(), node.proto->input().end());
    if (node.differentiated)
      reads.push_back(node.differentiated->y);
    for (StringRef name : reads) {
      auto producer = producers.find(name);
      if (name.empty() || producer == producers.end() || producer->second < 0)
        continue;
      readers[producer->second].push_back(node.position);
      ++missing[node.position];
    }
    if (!missing[node.position])
      ready.push(node.position);
  }
  SmallVector<CheckedNode, 0> sorted;
  while (!ready.empty()) {
    int position = ready.top();
    ready.pop();
    sorted.push_back(std::move(nodes[position]));
    for (int reader : readers[position])
      if (!--missing[reader])
        ready.push(reader);
  }
  if (sorted.size() < nodes.size()) {
    int stuck = llvm::find_if(missing, [](int inputs) { return inputs > 0; }) - missing.begin();
    return emitError(getLocation(nodes[stuck]))
           << "a node must not depend on its own output, but this one is in a cycle or depends on one";
  }
  nodes = std::move(sorted);
  places.resize(nodes.size());
  for (auto [place, node] : llvm::enumerate(nodes))
    places[node.position] = place;
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Differentiation
//===----------------------------------------------------------------------===//

LogicalResult CheckedGraph::readDifferentiated(CheckedNode &node) {
  const onnx::NodeProto &proto = *node.proto;
  if (proto.domain() != trainingDomain.str() || proto.op_type() != "Gradient")
    return success();
  Differentiated &read = node.differentiated.emplace();
  for (StringRef list : {"xs", "zs"})
    for (const onnx::AttributeProto &attribute : proto.attribute())
      if (attribute.name() == list.str())
        read.arguments.append(attribute.strings().begin(), attribute.strings().end());
  for (const onnx::AttributeProto &attribute : proto.attribute())
    if (attribute.name() == "y")
      read.y = attribute.s();
  if (read.arguments.size() != size_t(proto.input_size()))
    return emitError(getLocation(node)) << "attributes 'xs' and 'zs' must name a tensor for each input, but name "
                                        << read.arguments.size() << " for " << proto.input_size();
  llvm::StringSet<> names;
  for (StringRef name : read.arguments)
    if (!isDefined(name) || !names.insert(name).second)
      return emitError(getLocation(node)) << "attributes 'xs' and 'zs' must name tensors of the graph, each once, but "
                                             "name '"
                                          << name << (isDefined(name) ? "' twice" : "', which does not exist");
  if (!producers.contains(read.y) && !names.contains(read.y))
    return emitError(getLocation(node)) << "attribute 'y' must name a tensor of the node's graph, but names '" << read.y
                                        << "'";
  return success();
}

/// Limits nested derivatives, because each tensor that is differentiated is imported inside of its node.
LogicalResult CheckedGraph::checkDepth() {
  constexpr unsigned mostDerivatives = 64;
  SmallVector<unsigned> depths;
  for (const CheckedNode &node : nodes) {
    auto depthOf = [&](StringRef name) {
      auto producer = producers.find(name);
      return producer == producers.end() || producer->second < 0 ? 0 : depths[places[producer->second]];
    };
    unsigned reads = 0;
    for (const std::string &input : node.proto->input())
      reads = std::max(reads, depthOf(input));
    for (StringRef capture : node.getCaptures())
      reads = std::max(reads, depthOf(capture));
    depths.push_back(node.differentiated ? std::max(reads, depthOf(node.differentiated->y) + 1) : reads);
    if (depths.back() > mostDerivatives)
      return emitError(getLocation(node))
             << "gradients must be nested at most " << mostDerivatives << " deep, but this one is nested deeper";
  }
  return success();
}

SmallVector<size_t> CheckedGraph::findProducers(StringRef name, ArrayRef<StringRef> given) const {
  const llvm::DenseSet<StringRef> ends(given.begin(), given.end());
  llvm::DenseSet<size_t> found;
  SmallVector<StringRef> open{name};
  while (!open.empty()) {
    StringRef next = open.pop_back_val();
    auto producer = producers.find(next);
    if (ends.contains(next) || producer == producers.end() || producer->second < 0)
      continue;
    size_t place = places[producer->second];
    if (!found.insert(place).second)
      continue;
    open.append(nodes[place].proto->input().begin(), nodes[place].proto->input().end());
    llvm::append_range(open, nodes[place].getCaptures());
  }
  SmallVector<size_t> result(found.begin(), found.end());
  llvm::sort(result);
  return result;
}

} // namespace nacre::importer::onnx_format
