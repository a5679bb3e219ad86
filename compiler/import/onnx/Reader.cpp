// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an ONNX model and provides a view that the importer can trust.
//
// First, the file is parsed, and the version of the operators is determined. Then the graph and each function are
// checked. The size of a call is known before it is expanded.

#include "compiler/import/onnx/Reader.h"

#include "compiler/import/onnx/graph/SparseTensor.h"

#include "compiler/import/onnx/graph/DomainNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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
    return emitError(loc) << "has no graph; it is not an ONNX model";
  if (failed(result->settleOpset()))
    return failure();
  FailureOr<std::unique_ptr<CheckedGraph>> graph = CheckedGraph::read(result->model.graph(), /*outer=*/nullptr, loc);
  if (failed(graph))
    return failure();
  result->graph = std::move(*graph);
  if (failed(result->readFunctions()))
    return failure();
  return result;
}

/// Returns the newest version of the standard operators that was released with version `irVersion` of the IR, by ONNX's
/// table of releases. Returns `nullopt` if the IR is newer than the table. Before IR version 3, there was one operator
/// set.
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
      return emitError(modelLoc) << "the operator set's version must be at least 1, but is " << opset.version()
                                 << "; export the model again";
    if (!standardOpset) // if there are several, the first one is used
      standardOpset = opset.version();
  }
  bool needsOne =
      llvm::any_of(model.graph().node(), [](const onnx::NodeProto &node) { return isStandardDomain(node.domain()); });
  if (standardOpset || !needsOne)
    return success();
  std::optional<int64_t> implied = getOpsetOfIr(model.ir_version());
  if (!implied)
    return emitError(modelLoc) << "must state its opset in opset_import, but does not, and its IR version ("
                               << model.ir_version() << ") does not imply one; set it with onnx.helper.make_opsetid";
  standardOpset = *implied;
  emitWarning(modelLoc) << "the model does not state its opset; opset " << standardOpset
                        << " is assumed, the newest of its IR version, " << model.ir_version();
  return success();
}

int64_t OnnxModel::getOpsetVersion(StringRef domain, const onnx::FunctionProto *function) const {
  bool isStandard = isStandardDomain(domain);
  for (const onnx::OperatorSetIdProto &opset : function ? function->opset_import() : model.opset_import())
    if (opset.version() > 0 && (isStandard ? isStandardDomain(opset.domain()) : opset.domain() == domain))
      return opset.version();
  return isStandard ? standardOpset : 0;
}

FailureOr<ElementsAttr> OnnxModel::readConstant(const onnx::TensorProto &tensor, StringRef name, Location loc) {
  ElementsAttr &known = constants[&tensor];
  if (known)
    return known;
  FailureOr<StoredTensor> stored = file.read(tensor, loc);
  if (failed(stored))
    return failure();
  return known = makeConstant(*stored, name);
}

FailureOr<ElementsAttr> OnnxModel::readConstant(const onnx::SparseTensorProto &tensor, Location loc) {
  return readSparse(file, tensor, loc);
}

//===----------------------------------------------------------------------===//
// 2. Functions
//===----------------------------------------------------------------------===//

// Limits of the size of a model after functions are expanded. Forty functions, each of which calls the next one twice,
// would have a trillion nodes.
static constexpr uint64_t mostNodes = 1000000, nodesBeside = 100000, growth = 64;
static constexpr unsigned mostCalls = 64;

template <typename Proto> static std::string makeKey(StringRef name, const Proto &proto) {
  StringRef domain = isStandardDomain(proto.domain()) ? "" : StringRef(proto.domain());
  return (domain + "\n" + name + "\n" + proto.overload()).str();
}

const CheckedGraph *OnnxModel::findFunction(const onnx::NodeProto &node) const {
  auto function = functions.find(makeKey(node.op_type(), node));
  return function == functions.end() ? nullptr : function->second.body.get();
}

LogicalResult OnnxModel::readFunctions() {
  for (const onnx::FunctionProto &proto : model.functions()) {
    FailureOr<std::unique_ptr<CheckedGraph>> body = CheckedGraph::read(proto, modelLoc);
    if (failed(body))
      return failure();
    Function &function = functions[makeKey(proto.name(), proto)];
    if (function.body)
      return emitError((*body)->getLocation(proto.name())) << "two functions have this name; rename one";
    function.body = std::move(*body);
  }
  FailureOr<Extent> extent = measure(*graph, /*depth=*/0);
  if (failed(extent))
    return failure();
  uint64_t most = std::min(mostNodes, nodesBeside + growth * countListed());
  if (!functions.empty() && extent->nodes > most)
    return emitError(modelLoc) << "the graph must have at most " << most
                               << " nodes after functions are inlined, but has " << extent->nodes;
  return success();
}

uint64_t OnnxModel::countListed() const {
  uint64_t count = model.graph().node_size();
  for (const onnx::FunctionProto &function : model.functions())
    count += function.node_size();
  return count;
}

FailureOr<OnnxModel::Extent> OnnxModel::measure(const CheckedGraph &graph, unsigned depth) {
  Extent extent;
  auto include = [&](const Extent &inside, unsigned further) {
    extent.nodes = llvm::SaturatingAdd(extent.nodes, inside.nodes);
    extent.calls = std::max(extent.calls, inside.calls + further);
  };
  for (const CheckedNode &node : graph.getNodes()) {
    include({1, 0}, 0);
    for (const NestedGraph &nested : node.graphs) {
      FailureOr<Extent> inside = measure(*nested.graph, depth);
      if (failed(inside))
        return failure();
      include(*inside, 0);
    }
    auto found = functions.find(makeKey(node.proto->op_type(), *node.proto));
    if (found == functions.end())
      continue;
    Function &function = found->second;
    if (function.isOpen)
      return emitError(graph.getLocation(node))
             << "a function must not call itself, but '" << node.proto->op_type() << "' does";
    if (!function.extent && depth < mostCalls) {
      function.isOpen = true;
      FailureOr<Extent> inside = measure(*function.body, depth + 1);
      function.isOpen = false;
      if (failed(inside))
        return failure();
      function.extent = *inside;
    }
    if (!function.extent || depth + 1 + function.extent->calls > mostCalls)
      return emitError(graph.getLocation(node))
             << "function calls must nest at most " << mostCalls << " deep, but nest deeper";
    include(*function.extent, 1);
  }
  return extent;
}

} // namespace nacre::importer::onnx_format
