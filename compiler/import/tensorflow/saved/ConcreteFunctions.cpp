// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements ConcreteFunctions.h.
//
// How:  1. the functions of the model,
//       2. captured objects of a trace, as nodes of the graph,
//       3. the call, and the signature.

#include "compiler/import/tensorflow/saved/ConcreteFunctions.h"

#include "compiler/import/tensorflow/graph/CheckedGraph.h"
#include "compiler/import/tensorflow/saved/SavedVariables.h"
#include "compiler/import/tensorflow/saved/Signatures.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using tensorflow::FunctionDef;
using tensorflow::NodeDef;
using tensorflow::SavedObject;

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// 1. Functions
//===----------------------------------------------------------------------===//

std::map<std::string, std::string> findFunctions(const tensorflow::SavedObjectGraph &objects) {
  std::map<std::string, std::string> functions;
  if (objects.nodes_size() == 0)
    return functions;
  for (const tensorflow::ObjectReference &child : objects.nodes(0).children()) {
    if (child.node_id() < 0 || child.node_id() >= objects.nodes_size())
      continue;
    const SavedObject &object = objects.nodes(child.node_id());
    if (object.has_bare_concrete_function())
      functions[child.local_name()] = object.bare_concrete_function().concrete_function_name();
    const auto &traces = object.function().concrete_functions();
    for (const std::string &trace : traces)
      functions[traces.size() == 1 ? child.local_name() : trace] = trace;
  }
  return functions;
}

namespace {

const tensorflow::SavedConcreteFunction *findTrace(const tensorflow::SavedObjectGraph &objects, StringRef name) {
  for (const tensorflow::SavedConcreteFunctionEntry &entry : objects.concrete_functions())
    if (entry.key() == name)
      return &entry.value();
  return nullptr;
}

class Wrapper {
public:
  Wrapper(tensorflow::MetaGraphDef &meta, Location loc);

  LogicalResult wrap(StringRef name, StringRef trace);

  llvm::StringMap<int> added; ///< index of each variable's object, by the name of its node

private:
  /// Returns the node of the captured object `id`. `what` is the function's name in errors.
  FailureOr<std::string> capture(int id, StringRef what);
  std::string addVariable(const tensorflow::SavedVariable &variable, int id);
  std::string addInput(const FunctionDef &function, int place, StringRef name, tensorflow::SignatureDef &signature);
  NodeDef &addNode(const Twine &name, const char *op);

  tensorflow::MetaGraphDef &meta;
  tensorflow::GraphDef &graph;
  Location loc;
  llvm::StringSet<> names;                             ///< names of all nodes
  llvm::StringMap<SmallVector<std::string, 1>> shared; ///< names of the nodes of variables, by their shared name
  uint64_t numRenamed = 0;
  llvm::StringMap<int> numNamed;        ///< number of variables with each name
  std::map<int, std::string> variables; ///< name of each variable's node, by the index of its object
};

Wrapper::Wrapper(tensorflow::MetaGraphDef &meta, Location loc)
    : meta(meta), graph(*meta.mutable_graph_def()), loc(loc) {
  for (const NodeDef &node : graph.node()) {
    names.insert(node.name());
    if (node.op() == "VarHandleOp")
      shared[getSharedName(node)].push_back(node.name());
  }
  for (const SavedObject &object : meta.object_graph_def().nodes())
    if (object.has_variable())
      ++numNamed[object.variable().name()];
}

/// Adds a node with the name `name`, or with a similar name if a node has this name.
NodeDef &Wrapper::addNode(const Twine &name, const char *op) {
  std::string unique = name.str();
  while (!names.insert(unique).second)
    unique = (name + "_" + Twine(++numRenamed)).str();
  NodeDef &node = *graph.add_node();
  node.set_name(unique);
  node.set_op(op);
  return node;
}

//===----------------------------------------------------------------------===//
// 2. Captures
//===----------------------------------------------------------------------===//

/// Returns the name of the variable's node. If exactly one node of the graph has the variable's name, returns this
/// node, so that signatures and functions share it. Otherwise, adds a node.
std::string Wrapper::addVariable(const tensorflow::SavedVariable &variable, int id) {
  std::string &name = variables[id];
  if (!name.empty())
    return name;
  ArrayRef<std::string> known = shared[variable.name()];
  if (known.size() == 1 && numNamed.lookup(variable.name()) == 1)
    return name = known.front();
  NodeDef &node = addNode(variable.name().empty() ? "variable" : variable.name(), "VarHandleOp");
  addAttribute(node, "dtype").set_type(variable.dtype());
  *addAttribute(node, "shape").mutable_shape() = variable.shape();
  added[node.name()] = id;
  return name = node.name();
}

FailureOr<std::string> Wrapper::capture(int id, StringRef what) {
  const tensorflow::SavedObjectGraph &objects = meta.object_graph_def();
  if (id < 0 || id >= objects.nodes_size())
    return emitError(loc) << what << " must capture objects of the model, but captures number " << id << " of "
                          << objects.nodes_size();
  const SavedObject &object = objects.nodes(id);
  if (object.has_variable())
    return addVariable(object.variable(), id);
  if (object.has_constant()) {
    if (names.contains(object.constant().operation()))
      return object.constant().operation();
    return emitError(loc) << what << " captures the constant '" << toPrintable(object.constant().operation())
                          << "', which is not a node of the graph";
  }
  if (object.has_asset()) {
    int index = object.asset().asset_file_def_index();
    bool isKnown = index >= 0 && index < meta.asset_file_def_size();
    return emitError(loc) << what << " cannot be compiled: it captures the asset '"
                          << toPrintable(isKnown ? meta.asset_file_def(index).filename() : "") << "', a text file";
  }
  return emitError(loc) << what << " cannot be compiled: it must capture only variables and constants, but object "
                        << id << " is " << (object.has_resource() ? "a table or another resource" : "neither");
}

//===----------------------------------------------------------------------===//
// 3. Calls
//===----------------------------------------------------------------------===//

/// Adds a placeholder for the argument `place` of the function, and adds it to the signature's inputs.
std::string Wrapper::addInput(const FunctionDef &function, int place, StringRef name,
                              tensorflow::SignatureDef &signature) {
  const tensorflow::OpDef::ArgDef &argument = function.signature().input_arg(place);
  tensorflow::TensorShapeProto shape;
  shape.set_unknown_rank(true);
  for (const FunctionDef::ArgAttrsEntry &entry : function.arg_attr())
    for (const tensorflow::AttrEntry &attribute : entry.value().attr())
      if (entry.key() == static_cast<uint32_t>(place) && attribute.key() == "_output_shapes" &&
          attribute.value().list().shape_size() == 1)
        shape = attribute.value().list().shape(0);
  NodeDef &input = addNode(name + "_" + argument.name(), "Placeholder");
  addAttribute(input, "dtype").set_type(argument.type());
  *addAttribute(input, "shape").mutable_shape() = shape;
  tensorflow::TensorInfoEntry &entry = *signature.add_inputs();
  entry.set_key(argument.name());
  entry.mutable_value()->set_name(input.name());
  entry.mutable_value()->set_dtype(argument.type());
  *entry.mutable_value()->mutable_tensor_shape() = shape;
  return input.name();
}

LogicalResult Wrapper::wrap(StringRef name, StringRef trace) {
  std::string what = "the function '" + toPrintable(name) + "'";
  const tensorflow::SavedConcreteFunction *concrete = findTrace(meta.object_graph_def(), trace);
  const auto &library = graph.library().function();
  auto function = llvm::find_if(library, [&](const FunctionDef &other) { return other.signature().name() == trace; });
  if (!concrete || function == library.end())
    return emitError(loc) << what << " must be in the graph, but '" << toPrintable(trace) << "' is not";
  const int numArguments = function->signature().input_arg_size(), numBound = concrete->bound_inputs_size();
  if (numBound > numArguments)
    return emitError(loc) << what << " must have an argument for each of the " << numBound
                          << " objects that it captures, but has " << numArguments;
  tensorflow::SignatureEntry &entry = *meta.add_signature_def();
  entry.set_key(name.str());
  std::vector<std::string> operands;
  for (int place = 0; place < numArguments - numBound; ++place)
    operands.push_back(addInput(*function, place, name, *entry.mutable_value()));
  for (int id : concrete->bound_inputs()) {
    FailureOr<std::string> captured = capture(id, what);
    if (failed(captured))
      return failure();
    operands.push_back(std::move(*captured));
  }
  NodeDef &call = addNode(name, "StatefulPartitionedCall");
  addAttribute(call, "f").mutable_func()->set_name(trace.str());
  for (const std::string &operand : operands)
    call.add_input(operand);
  for (auto [index, result] : llvm::enumerate(function->signature().output_arg())) {
    tensorflow::TensorInfoEntry &output = *entry.mutable_value()->add_outputs();
    output.set_key(result.name());
    output.mutable_value()->set_name(call.name() + ":" + std::to_string(index));
    output.mutable_value()->set_dtype(result.type());
  }
  return success();
}

} // namespace

FailureOr<llvm::StringMap<int>> wrapFunctions(tensorflow::MetaGraphDef &meta, ArrayRef<std::string> names,
                                              Location loc) {
  std::map<std::string, std::string> functions = findFunctions(meta.object_graph_def());
  auto isSignature = [&](StringRef name) {
    return llvm::any_of(meta.signature_def(), [&](const auto &entry) { return entry.key() == name; });
  };
  std::vector<std::string> wanted(names.begin(), names.end());
  if (names.empty() && functions.size() == 1 && countSignatures(meta) == 0)
    wanted.push_back(functions.begin()->first);
  Wrapper wrapper(meta, loc);
  for (const std::string &name : wanted) {
    auto function = functions.find(name);
    std::string trace = function == functions.end() ? name : function->second;
    bool isFunction = function != functions.end() || findTrace(meta.object_graph_def(), name);
    if (isFunction && !isSignature(name) && failed(wrapper.wrap(name, trace)))
      return failure();
  }
  return std::move(wrapper.added);
}

} // namespace nacre::importer::tensorflow_format
