// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked graph of a TensorFlow file.
//
// How:  1. names: every node must have a different name, and every name that is read must be defined,
//       2. order: the file's order is kept if each node follows its operands, and repaired otherwise. Cycles are
//          refused.

#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include <queue>

using namespace mlir;

namespace nacre::importer::tensorflow_format {

std::optional<TensorName> parseTensorName(StringRef text) {
  constexpr unsigned mostResults = 4096;
  auto [node, number] = text.rsplit(':');
  unsigned result = 0;
  if (node.size() < text.size() && (number.getAsInteger(10, result) || result >= mostResults))
    return std::nullopt;
  return TensorName{node, static_cast<int>(result)};
}

const tensorflow::AttrValue *findAttribute(const tensorflow::NodeDef &node, StringRef name) {
  for (const tensorflow::AttrEntry &entry : llvm::reverse(node.attr()))
    if (entry.key() == name)
      return &entry.value();
  return nullptr;
}

tensorflow::AttrValue &addAttribute(tensorflow::NodeDef &node, const char *name) {
  tensorflow::AttrEntry &entry = *node.add_attr();
  entry.set_key(name);
  return *entry.mutable_value();
}

FailureOr<CheckedGraph> CheckedGraph::read(const tensorflow::GraphDef &proto, Location modelLoc) {
  CheckedGraph graph(modelLoc);
  if (failed(graph.nameNodes(proto)))
    return failure();
  for (int node = 0; node < proto.node_size(); ++node)
    if (failed(graph.readOperands(node)))
      return failure();
  if (failed(graph.sortNodes()))
    return failure();
  return graph;
}

std::string CheckedGraph::getText(TensorId tensor) const {
  std::string name = nodes[tensor.node].getName().str();
  return tensor.result ? name + ":" + std::to_string(tensor.result) : name;
}

Location CheckedGraph::getLocation(StringRef name) const {
  return NameLoc::get(StringAttr::get(modelLoc.getContext(), name), modelLoc);
}

std::optional<int> CheckedGraph::find(StringRef name) const {
  auto found = ids.find(name);
  return found == ids.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TensorId> CheckedGraph::findTensor(StringRef text) const {
  std::optional<TensorName> name = parseTensorName(text);
  std::optional<int> node = name ? find(name->node) : std::nullopt;
  return node ? std::optional(TensorId{*node, name->result}) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// 1. Names
//===----------------------------------------------------------------------===//

LogicalResult CheckedGraph::nameNodes(const tensorflow::GraphDef &proto) {
  nodes.reserve(proto.node_size());
  ids.reserve(proto.node_size());
  for (const tensorflow::NodeDef &node : proto.node()) {
    StringRef name = node.name();
    if (name.empty() || node.op().empty())
      return emitError(modelLoc) << "a node must have a name and an operator, but number " << nodes.size()
                                 << " has none";
    if (name.contains(':') || name.starts_with("^"))
      return emitError(getLocation(name)) << "a node must have a name without ':' and '^'";
    if (!ids.try_emplace(name, static_cast<int>(nodes.size())).second)
      return emitError(getLocation(name)) << "two nodes have this name; rename one";
    nodes.push_back({&node, {}, {}});
  }
  if (nodes.empty())
    return emitError(modelLoc) << "the graph is empty";
  return success();
}

LogicalResult CheckedGraph::readOperands(int id) {
  CheckedNode &node = nodes[id];
  llvm::SmallSet<int, 8> before;
  for (StringRef text : node.proto->input()) {
    StringRef name = text;
    bool isControl = name.consume_front("^");
    std::optional<TensorId> tensor = findTensor(name);
    if (!tensor || (isControl && tensor->result != 0))
      return emitError(getLocation(id)) << "input '" << text << "' is not defined by any node";
    if (isControl && before.insert(tensor->node).second)
      node.controls.push_back(tensor->node);
    else if (!isControl)
      node.operands.push_back(*tensor);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Order
//===----------------------------------------------------------------------===//

static bool leadsToNextIteration(const CheckedNode &node) {
  return node.getOp() == "NextIteration" || node.getOp() == "RefNextIteration";
}

LogicalResult CheckedGraph::sortNodes() {
  // Among nodes whose operands are ready, the earliest in the file comes next. A sorted file keeps its order.
  std::vector<int> missing(nodes.size(), 0);
  std::vector<SmallVector<int, 2>> readers(nodes.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int id = 0; id < static_cast<int>(nodes.size()); ++id) {
    auto waitFor = [&](int producer) {
      if (leadsToNextIteration(nodes[producer]))
        return;
      readers[producer].push_back(id);
      ++missing[id];
    };
    for (TensorId operand : nodes[id].operands)
      waitFor(operand.node);
    llvm::for_each(nodes[id].controls, waitFor);
    if (!missing[id])
      ready.push(id);
  }
  order.reserve(nodes.size());
  while (!ready.empty()) {
    int id = ready.top();
    ready.pop();
    order.push_back(id);
    for (int reader : readers[id])
      if (!--missing[reader])
        ready.push(reader);
  }
  if (order.size() == nodes.size())
    return success();
  auto stuck = llvm::find_if(missing, [](int operands) { return operands > 0; }) - missing.begin();
  return emitError(getLocation(static_cast<int>(stuck)))
         << "a node must not depend on its own result, but this one is in a cycle or depends on one";
}

} // namespace nacre::importer::tensorflow_format
