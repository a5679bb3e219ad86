// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a graph.

#include "compiler/import/tensorflow/saved/FunctionLibrary.h"

#include "compiler/import/tensorflow/Results.h"
#include "compiler/import/tensorflow/saved/FunctionalControl.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tensorflow::FunctionDef;
using tensorflow::NodeDef;

namespace nacre::importer::tensorflow_format {

static constexpr unsigned maxDepth = 64;
static constexpr const char *tooDeep = "functions must call one another at most 64 deep, but go deeper";

FunctionLibrary::FunctionLibrary(const tensorflow::GraphDef &graph) : graph(graph) {
  uint64_t numNodes = graph.node_size();
  for (const FunctionDef &function : graph.library().function()) {
    functions[function.signature().name()] = Function{&function, std::nullopt, false};
    numNodes += function.node_def_size();
  }
  constexpr uint64_t mostNodes = 1000000, plenty = 100000, growth = 64;
  maxNodes = std::min(mostNodes, plenty + growth * numNodes);
}

const FunctionDef *FunctionLibrary::find(StringRef name) const {
  auto function = functions.find(name);
  return function == functions.end() ? nullptr : function->second.proto;
}

FailureOr<FunctionLibrary::Extent> FunctionLibrary::measure(Function &function, Location callLoc, Location modelLoc) {
  if (function.extent)
    return *function.extent;
  if (std::exchange(function.isOpen, true))
    return emitError(callLoc) << "must call a function that ends, but '"
                              << toPrintable(function.proto->signature().name()) << "' calls itself";
  // Not found on the way back alone: a long chain would need as much stack.
  if (++numOpen > maxDepth)
    return emitError(callLoc) << tooDeep;
  FailureOr<Extent> extent = measure(function.proto->node_def(), modelLoc);
  --numOpen;
  function.isOpen = false;
  if (succeeded(extent))
    function.extent = *extent;
  return extent;
}

/// How many nodes stand for one: of a branch or a loop those that hand on what it reads and gives.
static uint64_t countLowered(const NodeDef &node) {
  if (!isFunctionalControl(node.op()))
    return 1;
  uint64_t branches = 1;
  for (const tensorflow::AttrEntry &attribute : node.attr())
    branches += attribute.value().list().func_size();
  return (uint64_t(node.input_size()) + 4) * 4 * branches + countResults(node);
}

template <typename Nodes>
FailureOr<FunctionLibrary::Extent> FunctionLibrary::measure(const Nodes &nodes, Location modelLoc) {
  Extent total;
  auto add = [&](StringRef name, const NodeDef &caller) -> LogicalResult {
    auto function = functions.find(name);
    if (function == functions.end())
      return success();
    Location loc = NameLoc::get(StringAttr::get(modelLoc.getContext(), caller.name()), modelLoc);
    FailureOr<Extent> extent = measure(function->second, loc, modelLoc);
    if (failed(extent))
      return failure();
    total.nodes = llvm::SaturatingAdd(total.nodes, extent->nodes);
    total.depth = std::max(total.depth, extent->depth + 1);
    if (total.nodes > maxNodes)
      return emitError(loc) << "functions must come to at most " << maxNodes << " nodes, but come to more";
    if (total.depth > maxDepth)
      return emitError(loc) << tooDeep;
    return success();
  };
  for (const NodeDef &node : nodes) {
    total.nodes += countLowered(node);
    if (failed(add(node.op(), node)))
      return failure();
    for (const tensorflow::AttrEntry &attribute : node.attr()) {
      if (attribute.value().has_func() && failed(add(attribute.value().func().name(), node)))
        return failure();
      for (const tensorflow::NameAttrList &function : attribute.value().list().func())
        if (failed(add(function.name(), node)))
          return failure();
    }
  }
  return total;
}

LogicalResult FunctionLibrary::checkCalls(Location modelLoc) {
  return success(succeeded(measure(graph.node(), modelLoc)));
}

} // namespace nacre::importer::tensorflow_format
