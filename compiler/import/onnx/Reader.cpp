// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of an ONNX model to a view that can be trusted.
//
// How:  1. parse, and find the version of the operators,
//       2. names: every value is defined once, everything that is read is defined,
//       3. order: keep the file's where it is right, repair it where it is not, refuse cycles.

#include "compiler/import/onnx/Reader.h"

#include "compiler/import/onnx/Domains.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace mlir;

namespace nacre::importer::onnx_format {

//===----------------------------------------------------------------------===//
// 1. Parse
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<OnnxModel>> OnnxModel::read(const ModelFile &file, MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, file.name, 0, 0);
  std::unique_ptr<OnnxModel> result(new OnnxModel(file, loc));
  if (failed(result->file.parseModel(loc, result->model)))
    return failure();
  if (!result->model.has_graph())
    return emitError(loc) << "must hold a graph, but has none; it is not an ONNX model";
  for (const onnx::NodeProto &node : result->getGraph().node())
    result->positions.try_emplace(&node, static_cast<int>(result->positions.size()));
  if (failed(result->settleOpset()) || failed(result->checkNames()) || failed(result->sortNodes()))
    return failure();
  return result;
}

/// The newest version of the standard operators that was released with a version of the IR, by ONNX's table of
/// releases; nothing for one that is newer than the table. Before IR version 3 there was one operator set.
static std::optional<int64_t> getOpsetOfIr(int64_t irVersion) {
  constexpr int64_t newest[] = {1, 1, 1, 8, 9, 10, 11, 14, 18, 20, 22, 23, 24, 25};
  if (irVersion < 1 || irVersion >= static_cast<int64_t>(std::size(newest)))
    return std::nullopt;
  return newest[irVersion];
}

LogicalResult OnnxModel::settleOpset() {
  for (const onnx::OperatorSetIdProto &opset : model.opset_import()) {
    if (!isStandardDomain(opset.domain()))
      continue;
    if (opset.version() < 1)
      return emitError(modelLoc) << "the version of the operator set must be at least 1, but is " << opset.version()
                                 << "; export the model again";
    if (!standardOpset) // of several the first counts
      standardOpset = opset.version();
  }
  bool needsOne =
      llvm::any_of(getGraph().node(), [](const onnx::NodeProto &node) { return isStandardDomain(node.domain()); });
  if (standardOpset || !needsOne)
    return success();
  std::optional<int64_t> implied = getOpsetOfIr(model.ir_version());
  if (!implied)
    return emitError(modelLoc)
           << "must name the version of its operators in opset_import, but does not, nor does its IR "
              "version ("
           << model.ir_version() << ") tell; set it with onnx.helper.make_opsetid";
  standardOpset = *implied;
  emitWarning(modelLoc) << "the model does not name the version of its operators; opset " << standardOpset
                        << " is taken, the newest of its IR version, " << model.ir_version();
  return success();
}

int64_t OnnxModel::getOpsetVersion(StringRef domain) const {
  if (isStandardDomain(domain))
    return standardOpset;
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    if (opset.domain() == domain)
      return opset.version();
  return 0;
}

Location OnnxModel::getLocation(StringRef valueName) const {
  return NameLoc::get(StringAttr::get(modelLoc.getContext(), valueName), modelLoc);
}

Location OnnxModel::getLocation(const onnx::NodeProto &node) const {
  if (!node.name().empty())
    return getLocation(StringRef(node.name()));
  std::string name = node.op_type() + "#" + std::to_string(positions.lookup(&node));
  if (node.output_size())
    name += ":" + node.output(0);
  return getLocation(StringRef(name));
}

//===----------------------------------------------------------------------===//
// 2. Names
//===----------------------------------------------------------------------===//

LogicalResult OnnxModel::checkNames() {
  const onnx::GraphProto &graph = getGraph();
  for (const onnx::ValueInfoProto &input : graph.input())
    if (!producers.try_emplace(input.name(), -1).second)
      return emitError(getLocation(input.name())) << "an input must have a name of its own, but two have this one";

  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    // An initializer may have an input's name: it is then that input's default.
    producers.try_emplace(initializer.name(), -1);
    if (!initializers.insert(initializer.name()).second)
      return emitError(getLocation(initializer.name()))
             << "an initializer must have a name of its own, but two have this one";
  }
  for (const onnx::SparseTensorProto &sparse : graph.sparse_initializer())
    return emitError(getLocation(sparse.values().name())) << "a sparse initializer is not supported; make it dense";

  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      if (!output.empty() && !producers.try_emplace(output, positions.lookup(&node)).second)
        return emitError(getLocation(node)) << "output '" << output << "' is already defined by another node or input";

  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &input : node.input())
      if (!input.empty() && !producers.contains(input))
        return emitError(getLocation(node))
               << "input '" << input << "' is not defined by any node, input or initializer";

  llvm::StringSet<> outputs;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    if (!producers.contains(output.name()))
      return emitError(getLocation(output.name())) << "an output must be computed by a node, but this one is not";
    if (!outputs.insert(output.name()).second)
      return emitError(getLocation(output.name())) << "an output must have a name of its own, but two have this one";
  }
  if (graph.output().empty())
    return emitError(modelLoc) << "the graph must have an output, but has none";
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Order
//===----------------------------------------------------------------------===//

LogicalResult OnnxModel::sortNodes() {
  // Of all nodes whose inputs are computed, the earliest in the file comes next: a sorted file stays as it is.
  const onnx::GraphProto &graph = getGraph();
  int count = graph.node_size();
  SmallVector<int> missing(count, 0);
  SmallVector<SmallVector<int, 2>> readers(count);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int index = 0; index < count; ++index) {
    for (const std::string &input : graph.node(index).input()) {
      int producer = input.empty() ? -1 : producers.lookup(input);
      if (producer < 0)
        continue;
      readers[producer].push_back(index);
      ++missing[index];
    }
    if (!missing[index])
      ready.push(index);
  }
  while (!ready.empty()) {
    int index = ready.top();
    ready.pop();
    nodes.push_back(&graph.node(index));
    for (int reader : readers[index])
      if (!--missing[reader])
        ready.push(reader);
  }
  if (nodes.size() == static_cast<size_t>(count))
    return success();
  int stuck = llvm::find_if(missing, [](int inputs) { return inputs > 0; }) - missing.begin();
  return emitError(getLocation(graph.node(stuck))) << "a node must not depend on its own output, but this one is part "
                                                      "of a cycle or waits for one";
}

} // namespace nacre::importer::onnx_format
