// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a graph: the size of their calls, and the variables that they write.
//
// How:  1. the number of nodes after all calls are expanded,
//       2. variables that a function writes: operands are traced back to its arguments.

#include "compiler/import/tensorflow/saved/FunctionLibrary.h"

#include "compiler/import/tensorflow/graph/CheckedGraph.h"
#include "compiler/import/tensorflow/graph/Results.h"
#include "compiler/import/tensorflow/saved/FunctionalControl.h"
#include "compiler/import/tensorflow/saved/WrittenVariables.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tensorflow::FunctionDef;
using tensorflow::NodeDef;

namespace nacre::importer::tensorflow_format {

static constexpr unsigned maxDepth = 64;
static constexpr const char *tooDeep = "function calls must nest at most 64 deep, but nest deeper";

FunctionLibrary::FunctionLibrary(const tensorflow::GraphDef &graph) : graph(graph) {
  uint64_t numNodes = graph.node_size();
  for (const FunctionDef &function : graph.library().function()) {
    functions[function.signature().name()] = Function{&function, {}, false, {}};
    numNodes += function.node_def_size();
  }
  constexpr uint64_t mostNodes = 1000000, plenty = 100000, growth = 64;
  maxNodes = std::min(mostNodes, plenty + growth * numNodes);
}

//===----------------------------------------------------------------------===//
// 1. The size of calls
//===----------------------------------------------------------------------===//

const FunctionDef *FunctionLibrary::find(StringRef name) const {
  auto function = functions.find(name);
  return function == functions.end() ? nullptr : function->second.proto;
}

FailureOr<FunctionLibrary::Extent> FunctionLibrary::measure(Function &function, Location callLoc, Location modelLoc) {
  if (function.extent)
    return *function.extent;
  if (std::exchange(function.isOpen, true))
    return emitError(callLoc) << "must not call a recursive function, but '"
                              << toPrintable(function.proto->signature().name()) << "' calls itself";
  // The recursion needs stack for each nested call, so the depth is also checked before it goes deeper.
  if (++numOpen > maxDepth)
    return emitError(callLoc) << tooDeep;
  FailureOr<Extent> extent = measure(function.proto->node_def(), modelLoc);
  --numOpen;
  function.isOpen = false;
  if (succeeded(extent))
    function.extent = *extent;
  return extent;
}

SmallVector<StringRef> findCalled(const NodeDef &node) {
  SmallVector<StringRef> called = {node.op()};
  for (const tensorflow::AttrEntry &attribute : node.attr()) {
    if (attribute.value().has_func())
      called.push_back(attribute.value().func().name());
    for (const tensorflow::NameAttrList &function : attribute.value().list().func())
      called.push_back(function.name());
  }
  return called;
}

/// Returns the number of nodes that replace `node`. A branch or a loop also needs nodes that pass on its operands and
/// results.
static uint64_t countLowered(const NodeDef &node) {
  if (!isFunctionalControl(node.op()))
    return 1;
  uint64_t branches = 1;
  for (const tensorflow::AttrEntry &attribute : node.attr())
    branches += attribute.value().list().func_size();
  return (uint64_t(node.input_size()) + 4) * 8 * branches + countResults(node);
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
      return emitError(loc) << "functions must have at most " << maxNodes << " nodes in total, but have more";
    if (total.depth > maxDepth)
      return emitError(loc) << tooDeep;
    return success();
  };
  for (const NodeDef &node : nodes) {
    total.nodes += countLowered(node);
    for (StringRef called : findCalled(node))
      if (failed(add(called, node)))
        return failure();
  }
  return total;
}

LogicalResult FunctionLibrary::checkCalls(Location modelLoc) {
  return success(succeeded(measure(graph.node(), modelLoc)));
}

//===----------------------------------------------------------------------===//
// 2. Variables that a function writes
//===----------------------------------------------------------------------===//

namespace {

/// The arguments and the nodes of a function, by name.
class Body {
public:
  explicit Body(const FunctionDef &function) {
    for (const tensorflow::OpDef::ArgDef &argument : function.signature().input_arg()) {
      bool isList = !argument.number_attr().empty() || !argument.type_list_attr().empty();
      hasLists |= isList;
      if (argument.type() == tensorflow::DT_RESOURCE)
        handles[argument.name()] = numArguments;
      ++numArguments;
    }
    for (const NodeDef &node : function.node_def())
      nodes[node.name()] = &node;
  }

  /// Returns the index of the function's argument that the operand `place` of a node is, if the argument is passed on
  /// unchanged.
  std::optional<int> trace(const NodeDef &node, int place) const;

private:
  llvm::StringMap<int> handles;
  llvm::StringMap<const NodeDef *> nodes;
  int numArguments = 0;
  bool hasLists = false; ///< true if an argument is a list; the indices of arguments then differ from the indices of
                         ///< operands
};

std::optional<int> Body::trace(const NodeDef &node, int place) const {
  constexpr int maxSteps = 512; // limits the walk, because damaged functions can have cycles
  const NodeDef *reader = &node;
  for (int step = 0; step < maxSteps && !hasLists; ++step) {
    if (place >= reader->input_size())
      break;
    auto [name, result] = StringRef(reader->input(place)).split(':');
    if (auto handle = handles.find(name); handle != handles.end())
      return handle->second;
    reader = nodes.lookup(name);
    if (!reader)
      break;
    // While and IdentityN pass on operand k as result k, which is named `node:group:k`.
    bool givesMore = reader->op() == "While" || reader->op() == "IdentityN";
    if (!givesMore && reader->op() != "Identity")
      break;
    if (result.rsplit(':').second.getAsInteger(10, place) || place < 0)
      place = 0;
  }
  return std::nullopt;
}

} // namespace

WrittenArguments FunctionLibrary::findWritten(const FunctionDef &function) {
  WrittenArguments written;
  Body body(function);
  for (const NodeDef &node : function.node_def()) {
    for (size_t operand = 0; operand < countWritten(node.op()); ++operand)
      if (std::optional<int> argument = body.trace(node, int(operand))) {
        const tensorflow::AttrValue *type = findAttribute(node, "dtype");
        written.try_emplace(*argument, type ? type->type() : tensorflow::DT_INVALID);
      }
    for (StringRef called : findCalled(node))
      for (auto [place, type] : findWritten(called))
        if (std::optional<int> argument = body.trace(node, place + countDeciding(node.op())))
          written.try_emplace(*argument, type);
  }
  return written;
}

WrittenArguments FunctionLibrary::findWritten(StringRef name) {
  auto function = functions.find(name);
  if (function == functions.end())
    return {};
  // The call below looks up other functions, but adds none, so `function` stays valid.
  if (!function->second.written)
    function->second.written = findWritten(*function->second.proto);
  return *function->second.written;
}

} // namespace nacre::importer::tensorflow_format
