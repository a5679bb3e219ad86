// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements GradientArrays.h.
//
// How:  1. nodes TensorArrayGradV3 of one array and one source become one array, with one writer,
//       2. the contents of the array before the writer: a new array, or the array that the loop around the writer
//          carries.

#include "compiler/import/tensorflow/arrays/GradientArrays.h"

#include "compiler/import/tensorflow/graph/CheckedGraph.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using tensorflow::NodeDef;

namespace nacre::importer::tensorflow_format {
namespace {

constexpr StringLiteral gradientOp = "TensorArrayGradV3";

bool isOldGradient(StringRef op) { return op.starts_with("TensorArrayGrad") && op != gradientOp; }

bool isIdentity(StringRef op) { return op == "Identity" || op == "RefIdentity"; }

class ArrayRewriter {
public:
  ArrayRewriter(tensorflow::GraphDef &proto, const CheckedGraph &graph) : proto(proto), graph(graph) {
    readers.resize(graph.getNodes().size());
    for (int id = 0; id < int(readers.size()); ++id) {
      for (auto [place, operand] : llvm::enumerate(graph.getNode(id).operands))
        readers[operand.node].push_back({id, int(place)});
      names.insert(graph.getNode(id).getName());
    }
  }

  LogicalResult rewrite();

private:
  std::string quote(int node) const { return "'" + toPrintable(graph.getNode(node).getName().str()) + "'"; }
  InFlightDiagnostic error(int node) const { return emitError(graph.getLocation(node)); }
  StringRef opOf(int node) const { return graph.getNode(node).getOp(); }

  FailureOr<int> findArray(int gradient) const;
  LogicalResult rewriteGradient(int array, ArrayRef<int> gradients);
  LogicalResult writeTo(int writer, size_t flow, const std::string &empty);
  std::optional<int> findSum(int writer) const;

  tensorflow::GraphDef &proto;
  const CheckedGraph &graph;
  std::vector<SmallVector<TensorId, 2>> readers; ///< operands that read each node: the reader and the operand's index
  llvm::StringSet<> names;
};

//===----------------------------------------------------------------------===//
// 1. Gradients
//===----------------------------------------------------------------------===//

/// Returns the TensorArrayV3 to which the node `gradient`, a TensorArrayGradV3, belongs.
FailureOr<int> ArrayRewriter::findArray(int gradient) const {
  int node = gradient;
  for (size_t steps = 0; steps <= readers.size(); ++steps) {
    const bool isHandedOn = node == gradient || isIdentity(opOf(node)) || opOf(node) == "Enter";
    if (!isHandedOn || graph.getNode(node).operands.empty())
      break;
    node = graph.getNode(node).operands.front().node;
  }
  if (opOf(node) != "TensorArrayV3")
    return error(gradient) << "must be the gradient of a TensorArrayV3, but " << quote(node) << " is a "
                           << toPrintable(opOf(node).str()) << "; export the model with TensorFlow 1.0 or later";
  return node;
}

/// Rewrites all gradients. Continues after an error, so that all errors are reported.
LogicalResult ArrayRewriter::rewrite() {
  bool isRefused = false;
  std::map<std::pair<int, std::string>, SmallVector<int>> gradients;
  for (int id = 0; id < int(readers.size()); ++id) {
    if (isOldGradient(opOf(id))) {
      isRefused = true;
      error(id) << "must be a TensorArrayGradV3, but is a " << toPrintable(opOf(id).str())
                << ", which is not supported; export the model with TensorFlow 1.0 or later";
    }
    if (opOf(id) != gradientOp)
      continue;
    FailureOr<int> array = findArray(id);
    isRefused |= failed(array);
    const tensorflow::AttrValue *source = findAttribute(*graph.getNode(id).proto, "source");
    if (succeeded(array))
      gradients[{*array, source ? source->s() : ""}].push_back(id);
  }
  for (const auto &[key, nodes] : gradients)
    isRefused |= failed(rewriteGradient(key.first, nodes));
  return failure(isRefused);
}

LogicalResult ArrayRewriter::rewriteGradient(int array, ArrayRef<int> gradients) {
  std::string name = graph.getNode(gradients.front()).getName().str() + "/array";
  while (!names.insert(name).second)
    name += "_";
  NodeDef &made = *proto.add_node();
  made = *graph.getNode(array).proto;
  made.set_name(name);

  std::optional<std::pair<int, size_t>> writer; // the node that writes, and the index of its operand `flow`
  for (int gradient : gradients) {
    for (TensorId reader : readers[gradient]) {
      NodeDef &node = *proto.mutable_node(reader.node);
      const bool isHandle = graph.getNode(reader.node).operands[reader.result].result == 0;
      node.set_input(reader.result, name + (isHandle ? "" : ":1"));
      const StringRef op = opOf(reader.node);
      if (!isHandle || (op != "TensorArrayWriteV3" && op != "TensorArrayScatterV3"))
        continue;
      if (writer)
        return error(reader.node) << quote(writer->first) << " and " << quote(reader.node)
                                  << " must not both write to the gradient of the array " << quote(array)
                                  << "; read each element of the array once";
      if (graph.getNode(reader.node).operands.size() != 4)
        return error(reader.node) << "must have 4 operands, but has " << graph.getNode(reader.node).operands.size();
      writer.emplace(reader.node, 3);
    }
    NodeDef &node = *proto.mutable_node(gradient);
    node.set_op("NoOp");
    node.clear_input();
    node.clear_attr();
  }
  return writer ? writeTo(writer->first, writer->second, name + ":1") : success();
}

//===----------------------------------------------------------------------===//
// 2. Contents
//===----------------------------------------------------------------------===//

/// Returns the sum of flows that a loop carries and that reads the flow of the writer; nullopt if there is no such sum.
std::optional<int> ArrayRewriter::findSum(int writer) const {
  int node = writer;
  while (readers[node].size() == 1 && isIdentity(opOf(readers[node].front().node)))
    node = readers[node].front().node;
  for (TensorId reader : readers[node])
    if (StringRef op = opOf(reader.node); op == "Add" || op == "AddV2")
      return reader.node;
  return std::nullopt;
}

LogicalResult ArrayRewriter::writeTo(int writer, size_t flow, const std::string &empty) {
  NodeDef &node = *proto.mutable_node(writer);
  const std::optional<int> sum = findSum(writer);
  if (!sum) {
    node.set_input(int(flow), empty);
    return success();
  }
  // The carried flow passes through Enter, Merge, Switch and the sum; NextIteration passes the sum to the Merge.
  const ArrayRef<TensorId> summands = graph.getNode(*sum).operands;
  for (auto [place, summand] : llvm::enumerate(summands)) {
    const bool isInIteration = opOf(summand.node) == "Switch" && summand.result == 1 && summands.size() == 2;
    if (!isInIteration || graph.getNode(summand.node).operands.empty())
      continue;
    const int merge = graph.getNode(summand.node).operands.front().node;
    for (TensorId operand : graph.getNode(merge).operands)
      if (opOf(operand.node) == "Enter" && opOf(merge) == "Merge") {
        proto.mutable_node(operand.node)->set_input(0, empty);
        node.set_input(int(flow), graph.getText(summand));
        NodeDef &carried = *proto.mutable_node(*sum);
        const std::string written = graph.getText(summands[1 - place]);
        carried.set_op("Identity");
        carried.clear_input();
        carried.add_input(written);
        return success();
      }
  }
  return error(writer) << "writes to the gradient of an array, and " << quote(*sum)
                       << " must add up its flow from iteration to iteration, but does not; write each element once";
}

} // namespace

LogicalResult replaceGradientArrays(tensorflow::GraphDef &proto, Location modelLoc) {
  if (llvm::none_of(proto.node(),
                    [](const NodeDef &node) { return StringRef(node.op()).starts_with("TensorArrayGrad"); }))
    return success();
  FailureOr<CheckedGraph> graph = CheckedGraph::read(proto, modelLoc);
  if (failed(graph))
    return failure();
  return ArrayRewriter(proto, *graph).rewrite();
}

} // namespace nacre::importer::tensorflow_format
