// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements InlineCalls.h.
//
// How:  1. calls and the functions that they call,
//       2. the body of a function, under the names and with the attributes of one call,
//       3. operands in a body: arguments, and results by the name of their group,
//       4. all calls, including those of branches and loops; then the readers of their results.

#include "compiler/import/tensorflow/saved/InlineCalls.h"

#include "compiler/import/tensorflow/control/ControlGraph.h"
#include "compiler/import/tensorflow/graph/CheckedGraph.h"
#include "compiler/import/tensorflow/graph/Results.h"
#include "compiler/import/tensorflow/saved/FunctionLibrary.h"
#include "compiler/import/tensorflow/saved/FunctionalControl.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using tensorflow::FunctionDef;
using tensorflow::NodeDef;

namespace nacre::importer::tensorflow_format {
namespace {

/// True if the operator calls a function that one of its attributes names.
bool isCallOp(StringRef op) { return op == "PartitionedCall" || op == "StatefulPartitionedCall"; }

bool isControl(StringRef operand) { return operand.starts_with("^"); }

/// Attributes that a call passes to its function.
using CallAttributes = google::protobuf::RepeatedPtrField<tensorflow::AttrEntry>;

/// Returns the number of operands or results of an argument. If the argument is a list, an attribute contains its size.
int countTensors(const tensorflow::OpDef::ArgDef &argument, const CallAttributes &attributes) {
  StringRef list = argument.number_attr().empty() ? argument.type_list_attr() : argument.number_attr();
  if (list.empty())
    return 1;
  int count = 0;
  for (const tensorflow::AttrEntry &attribute : attributes)
    if (attribute.key() == list)
      count = attribute.value().has_list() ? attribute.value().list().type_size()
                                           : static_cast<int>(std::clamp<int64_t>(attribute.value().i(), 0, 1 << 16));
  return count;
}

} // namespace

class CallInliner {
public:
  CallInliner(tensorflow::GraphDef &graph, Location modelLoc) : graph(graph), modelLoc(modelLoc), library(graph) {}

  FailureOr<CallResults> run();

private:
  struct Callee {
    const FunctionDef *function = nullptr;
    const CallAttributes *attributes = nullptr;
  };
  /// The names in the body of a function during the expansion of one call.
  struct Scope {
    llvm::StringMap<const NodeDef *> nodes;              ///< nodes that were added to the graph, by their names in the
                                                         ///< body
    llvm::StringMap<std::vector<std::string>> arguments; ///< tensors that the call passes, by the name of the argument
    llvm::StringSet<> handles;                           ///< arguments that are handles of resources, such as variables
  };

  InFlightDiagnostic error(const NodeDef &node) const {
    return emitError(NameLoc::get(StringAttr::get(modelLoc.getContext(), node.name()), modelLoc));
  }

  FailureOr<Callee> findCallee(const NodeDef &node) const;
  LogicalResult expand(NodeDef *place);
  NodeDef *addNode(const std::string &name);
  LogicalResult bindArguments(const NodeDef &call, const Callee &callee, Scope &scope) const;
  void addNodes(const NodeDef &call, const Callee &callee, Scope &scope, SmallVectorImpl<NodeDef *> &added);
  std::optional<std::string> mapOperand(StringRef operand, const Scope &scope) const;
  std::optional<int> findResultOf(const NodeDef &node, StringRef group, int index) const;
  LogicalResult mapOperands(const NodeDef &call, const FunctionDef &function, const Scope &scope,
                            ArrayRef<NodeDef *> added) const;
  LogicalResult leaveResults(const NodeDef &call, const Callee &callee, const Scope &scope, NodeDef &rest);
  LogicalResult redirectReaders();

  tensorflow::GraphDef &graph;
  Location modelLoc;
  FunctionLibrary library;
  llvm::StringSet<> names; ///< names of all nodes
  uint64_t numRenamed = 0;
  CallResults calls;
};

//===----------------------------------------------------------------------===//
// 1. Calls
//===----------------------------------------------------------------------===//

/// Returns the function that a node calls. The result has no function if the node is not a call.
FailureOr<CallInliner::Callee> CallInliner::findCallee(const NodeDef &node) const {
  if (const FunctionDef *named = library.find(node.op()))
    return Callee{named, &node.attr()};
  if (!isCallOp(node.op()))
    return Callee{};
  const tensorflow::AttrValue *attribute = findAttribute(node, "f");
  StringRef name = attribute ? StringRef(attribute->func().name()) : "";
  const FunctionDef *function = library.find(name);
  if (!function)
    return error(node) << "must call a function of the model, but there is no '" << toPrintable(name) << "'";
  return Callee{function, &attribute->func().attr()};
}

//===----------------------------------------------------------------------===//
// 2. The body of a function
//===----------------------------------------------------------------------===//

LogicalResult CallInliner::bindArguments(const NodeDef &call, const Callee &callee, Scope &scope) const {
  SmallVector<StringRef> operands;
  for (StringRef operand : call.input())
    if (!isControl(operand))
      operands.push_back(operand);
  size_t next = 0;
  for (const tensorflow::OpDef::ArgDef &argument : callee.function->signature().input_arg()) {
    std::vector<std::string> &tensors = scope.arguments[argument.name()];
    if (argument.type() == tensorflow::DT_RESOURCE)
      scope.handles.insert(argument.name());
    for (int left = countTensors(argument, *callee.attributes); left && next < operands.size(); --left)
      tensors.push_back(operands[next++].str());
  }
  size_t wanted = callee.function->signature().input_arg_size();
  if (next != operands.size() || operands.size() < wanted)
    return error(call) << "must pass function '" << toPrintable(callee.function->signature().name())
                       << "' its arguments, " << wanted << ", but passes " << operands.size();
  return success();
}

/// Adds a node with the name `name`, or with a similar name if a node has this name.
NodeDef *CallInliner::addNode(const std::string &name) {
  std::string unique = name;
  while (!names.insert(unique).second)
    unique = name + "_" + std::to_string(++numRenamed);
  NodeDef *node = graph.add_node();
  node->set_name(unique);
  return node;
}

/// Adds the nodes of the function's body, without operands, and sets the attributes that depend on the call. The loops
/// of each call get their own names.
void CallInliner::addNodes(const NodeDef &call, const Callee &callee, Scope &scope, SmallVectorImpl<NodeDef *> &added) {
  llvm::StringMap<const tensorflow::AttrValue *> given;
  for (const tensorflow::AttrEntry &attribute : *callee.attributes)
    given[attribute.key()] = &attribute.value();
  for (const NodeDef &inner : callee.function->node_def()) {
    NodeDef *node = addNode(call.name() + "/" + inner.name());
    node->set_op(inner.op());
    for (const tensorflow::AttrEntry &attribute : inner.attr()) {
      if (StringRef(attribute.key()).starts_with("_"))
        continue;
      tensorflow::AttrEntry *copy = node->add_attr();
      *copy = attribute;
      if (attribute.key() == "frame_name" && getControlKind(inner.op()) == ControlKind::Enter)
        copy->mutable_value()->set_s(call.name() + "/" + attribute.value().s());
      // An attribute whose value the call does not contain is removed.
      if (attribute.value().value_case() != tensorflow::AttrValue::kPlaceholder)
        continue;
      if (const tensorflow::AttrValue *value = given.lookup(attribute.value().placeholder()))
        *copy->mutable_value() = *value;
      else
        node->mutable_attr()->RemoveLast();
    }
    scope.nodes[inner.name()] = node;
    added.push_back(node);
  }
}

//===----------------------------------------------------------------------===//
// 3. Operands in a body
//===----------------------------------------------------------------------===//

/// Returns the index of the result that is named `group:index` in a body.
std::optional<int> CallInliner::findResultOf(const NodeDef &node, StringRef group, int index) const {
  const FunctionDef *callee = library.find(node.op());
  if (!callee && isCallOp(node.op()))
    return group == "output" ? std::optional(index) : std::nullopt;
  if (!callee)
    return findResult(node, group, index);
  int first = 0;
  for (const tensorflow::OpDef::ArgDef &result : callee->signature().output_arg()) {
    int count = countTensors(result, node.attr());
    if (result.name() == group)
      return index < count ? std::optional(first + index) : std::nullopt;
    first += count;
  }
  return std::nullopt;
}

/// Returns the tensor of the graph for an operand in a body; nullopt if it does not exist. Operands are `^node`,
/// `argument`, `argument:k` and `node:group:k`. Some writers use `node:k` instead of the last form.
std::optional<std::string> CallInliner::mapOperand(StringRef operand, const Scope &scope) const {
  bool isOrder = operand.consume_front("^");
  auto [name, rest] = operand.split(':');
  auto [group, text] = rest.split(':');
  int index = 0;
  // The text after the first colon is an index or the name of a group.
  bool isNumbered = text.empty() && !group.empty() && !group.getAsInteger(10, index);
  if (!isNumbered && !text.empty() && text.getAsInteger(10, index))
    return std::nullopt;
  if (index < 0)
    return std::nullopt;
  if (auto argument = scope.arguments.find(name); argument != scope.arguments.end() && (isNumbered || group.empty())) {
    if (static_cast<size_t>(index) >= argument->second.size())
      return std::nullopt;
    StringRef tensor = argument->second[index];
    return isOrder ? ("^" + tensor.split(':').first).str() : tensor.str();
  }
  const NodeDef *node = scope.nodes.lookup(name);
  if (!node)
    return std::nullopt;
  if (isOrder)
    return "^" + node->name();
  std::optional<int> result = isNumbered || group.empty() ? index : findResultOf(*node, group, index);
  if (!result)
    return std::nullopt;
  return *result ? node->name() + ":" + std::to_string(*result) : node->name();
}

LogicalResult CallInliner::mapOperands(const NodeDef &call, const FunctionDef &function, const Scope &scope,
                                       ArrayRef<NodeDef *> added) const {
  for (auto [index, node] : llvm::enumerate(added)) {
    const NodeDef &inner = function.node_def(static_cast<int>(index));
    bool readsBody = false, readsHandle = false;
    for (StringRef operand : inner.input()) {
      std::optional<std::string> mapped = mapOperand(operand, scope);
      if (!mapped)
        return error(*node) << "must read a result of its function, but there is no '" << toPrintable(operand) << "'";
      StringRef name = operand.split(':').first;
      readsBody |= scope.nodes.count(name) != 0;
      readsHandle |= scope.handles.contains(name);
      node->add_input(*mapped);
    }
    // The first nodes of the body, and readers of handles, wait for everything that the call waits for.
    for (const std::string &operand : call.input())
      if ((!readsBody || readsHandle) && isControl(operand))
        node->add_input(operand);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 4. All calls
//===----------------------------------------------------------------------===//

/// Records the tensors of the call's results. The node `rest` waits for them and for all side effects of the function.
LogicalResult CallInliner::leaveResults(const NodeDef &call, const Callee &callee, const Scope &scope, NodeDef &rest) {
  rest.set_name(call.name());
  rest.set_op("NoOp");
  for (const std::string &operand : call.input())
    if (isControl(operand))
      rest.add_input(operand);
  llvm::StringMap<StringRef> returned;
  for (const tensorflow::StringEntry &entry : callee.function->ret())
    returned[entry.key()] = entry.value();
  std::vector<std::string> &results = calls.results[call.name()];
  for (const tensorflow::OpDef::ArgDef &result : callee.function->signature().output_arg()) {
    std::optional<std::string> mapped = mapOperand(returned.lookup(result.name()), scope);
    if (!mapped || countTensors(result, *callee.attributes) != 1)
      return error(call) << "the function '" << toPrintable(callee.function->signature().name())
                         << "' must return a tensor as '" << toPrintable(result.name()) << "', but does not";
    rest.add_input("^" + StringRef(*mapped).split(':').first.str());
    results.push_back(std::move(*mapped));
  }
  for (const tensorflow::StringEntry &entry : callee.function->control_ret())
    if (const NodeDef *node = scope.nodes.lookup(entry.value()))
      rest.add_input("^" + node->name());
  return success();
}

/// Expands the node `place` if it is a call, then the calls in the function's body. The depth of the recursion is
/// limited, because checkCalls() refuses deeper calls.
LogicalResult CallInliner::expand(NodeDef *place) {
  if (isFunctionalControl(place->op())) {
    auto inner =
        lowerFunctionalControl(*place, modelLoc, library, [&](const std::string &name) { return addNode(name); });
    return success(succeeded(inner) && llvm::all_of(*inner, [&](NodeDef *call) { return succeeded(expand(call)); }));
  }
  FailureOr<Callee> callee = findCallee(*place);
  if (failed(callee) || !callee->function)
    return success(succeeded(callee));
  NodeDef call;
  call.Swap(place);
  callee = findCallee(call); // looked up again, because the attributes were moved to `call`
  Scope scope;
  SmallVector<NodeDef *> added;
  if (failed(bindArguments(call, *callee, scope)))
    return failure();
  addNodes(call, *callee, scope, added);
  if (failed(mapOperands(call, *callee->function, scope, added)) || failed(leaveResults(call, *callee, scope, *place)))
    return failure();
  for (NodeDef *node : added)
    if (failed(expand(node)))
      return failure();
  return success();
}

LogicalResult CallInliner::redirectReaders() {
  for (NodeDef &node : *graph.mutable_node())
    for (std::string &operand : *node.mutable_input()) {
      if (isControl(operand))
        continue;
      std::optional<std::string> tensor = calls.resolve(operand);
      if (!tensor)
        return error(node) << "must read a result of a call, but there is no '" << toPrintable(operand) << "'";
      operand = std::move(*tensor);
    }
  return success();
}

FailureOr<CallResults> CallInliner::run() {
  if (failed(library.checkCalls(modelLoc)))
    return failure();
  for (const NodeDef &node : graph.node())
    names.insert(node.name());
  calls.numOwn = static_cast<size_t>(graph.node_size());
  for (int index = 0, end = graph.node_size(); index < end; ++index)
    if (failed(expand(graph.mutable_node(index))))
      return failure();
  calls.settle();
  for (size_t index = 0; index < calls.numOwn; ++index)
    for (StringRef result : calls.results.lookup(graph.node(static_cast<int>(index)).name()))
      calls.given.insert(result.split(':').first);
  if (!calls.isEmpty() && failed(redirectReaders()))
    return failure();
  return std::move(calls);
}

FailureOr<CallResults> inlineCalls(tensorflow::GraphDef &graph, Location modelLoc) {
  return CallInliner(graph, modelLoc).run();
}

} // namespace nacre::importer::tensorflow_format
