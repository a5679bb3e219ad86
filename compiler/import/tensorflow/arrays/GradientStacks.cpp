// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements GradientStacks.h.
//
// How:  1. nodes that push to a stack or pop from it, and their loops,
//       2. new nodes: each has the name of the node that it comes from as a prefix,
//       3. the list in both loops.

#include "compiler/import/tensorflow/arrays/GradientStacks.h"

#include "compiler/import/tensorflow/graph/CheckedGraph.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using tensorflow::NodeDef;

namespace nacre::importer::tensorflow_format {
namespace {

bool isStack(StringRef op) { return op == "Stack" || op == "StackV2"; }
bool isPush(StringRef op) { return op == "StackPush" || op == "StackPushV2"; }
bool isPop(StringRef op) { return op == "StackPop" || op == "StackPopV2"; }
bool isClose(StringRef op) { return op == "StackClose" || op == "StackCloseV2"; }
bool isEnter(StringRef op) { return op == "Enter" || op == "RefEnter"; }
bool isExit(StringRef op) { return op == "Exit" || op == "RefExit"; }

/// A node that pushes or pops, the Enter through which the stack enters the loop, and the loop's LoopCond.
struct Access {
  int node, enter, condition;
};

class StackRewriter {
public:
  StackRewriter(tensorflow::GraphDef &proto, const CheckedGraph &graph) : proto(proto), graph(graph) {
    readers.resize(graph.getNodes().size());
    for (int id = 0; id < int(readers.size()); ++id)
      for (TensorId operand : graph.getNode(id).operands)
        readers[operand.node].push_back(id);
    for (const CheckedNode &node : graph.getNodes())
      names.insert(node.getName());
  }

  LogicalResult rewrite(int stack);
  /// Replaces the results of pushes and pops, which are the pushed or popped values, in all readers. Then passes the
  /// lists to the next iterations.
  void finish();

private:
  StringRef nameOf(int node) const { return graph.getNode(node).getName(); }
  std::string quote(int node) const { return "'" + toPrintable(nameOf(node).str()) + "'"; }
  InFlightDiagnostic error(int node) const { return emitError(graph.getLocation(node)); }

  LogicalResult findAccesses(int stack, SmallVectorImpl<Access> &pushes, SmallVectorImpl<Access> &pops);
  std::optional<int> findCondition(int enter);

  NodeDef &add(StringRef maker, StringRef end, const char *op, std::initializer_list<std::string> read);
  NodeDef &mutate(int node) { return *proto.mutable_node(node); }
  struct Carried {
    NodeDef &next;
    std::string value; ///< the list in an iteration
    NodeDef &leaving;  ///< Switch whose result 0 leaves the loop
  };
  Carried carry(const Access &access);
  void become(int node, const char *op, std::initializer_list<std::string> read);

  tensorflow::GraphDef &proto;
  const CheckedGraph &graph;
  std::vector<SmallVector<int, 2>> readers;
  llvm::StringSet<> names;
  llvm::StringMap<std::optional<int>> conditions;       ///< LoopCond of each loop, by the loop's name
  llvm::StringMap<std::string> replaced;                ///< replacements for results of pushes and pops
  std::vector<std::pair<NodeDef *, std::string>> lists; ///< each NextIteration with its new operand
};

//===----------------------------------------------------------------------===//
// 1. Nodes that push and pop
//===----------------------------------------------------------------------===//

/// Finds the nodes that push to a stack and pop from it, also through nodes that only pass it on.
LogicalResult StackRewriter::findAccesses(int stack, SmallVectorImpl<Access> &pushes, SmallVectorImpl<Access> &pops) {
  constexpr int outside = -1;
  SmallVector<std::pair<int, int>> open = {{stack, outside}}; // nodes that have the stack, each with the Enter before
                                                              // it
  while (!open.empty()) {
    const auto [node, enter] = open.pop_back_val();
    for (int reader : readers[node]) {
      const StringRef op = graph.getNode(reader).getOp();
      if (isClose(op))
        continue;
      if (isEnter(op) && enter != outside)
        return error(reader) << "the loops around the stack of " << quote(enter) << " and " << quote(reader)
                             << " must not be nested; unroll the inner loop, or compute its gradient without a stack";
      if (isEnter(op) || op == "Identity" || op == "RefIdentity") {
        open.push_back({reader, isEnter(op) ? reader : enter});
        continue;
      }
      if (!isPush(op) && !isPop(op))
        return error(reader) << "must not read a stack: only StackPushV2, StackPopV2 and StackCloseV2 may";
      std::optional<int> condition = enter == outside ? std::nullopt : findCondition(enter);
      if (!condition)
        return error(reader) << "must be in a loop, because stacks are supported only for gradients of loops";
      (isPush(op) ? pushes : pops).push_back({reader, enter, *condition});
    }
  }
  return success();
}

/// Returns the LoopCond of the loop that the Enter belongs to. It depends on values that enter the same loop.
std::optional<int> StackRewriter::findCondition(int enter) {
  const tensorflow::AttrValue *frame = findAttribute(*graph.getNode(enter).proto, "frame_name");
  auto [known, isNew] = conditions.try_emplace(frame ? frame->s() : "", std::nullopt);
  if (!frame || !isNew)
    return known->second;
  std::vector<bool> isReached(readers.size());
  std::vector<int> open;
  auto reach = [&](int node) {
    if (!isReached[node])
      open.push_back(node);
    isReached[node] = true;
  };
  for (int id = 0; id < int(readers.size()); ++id) {
    const CheckedNode &node = graph.getNode(id);
    const tensorflow::AttrValue *other = isEnter(node.getOp()) ? findAttribute(*node.proto, "frame_name") : nullptr;
    if (other && other->s() == frame->s())
      reach(id);
  }
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (graph.getNode(node).getOp() == "LoopCond")
      return known->second = node;
    for (int reader : readers[node])
      if (StringRef op = graph.getNode(reader).getOp(); !isExit(op) && !isEnter(op))
        reach(reader);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// 2. Nodes
//===----------------------------------------------------------------------===//

NodeDef &StackRewriter::add(StringRef maker, StringRef end, const char *op, std::initializer_list<std::string> read) {
  std::string name = (maker + "/" + end).str();
  while (!names.insert(name).second)
    name += "_";
  NodeDef &node = *proto.add_node();
  node.set_name(name);
  node.set_op(op);
  for (const std::string &operand : read)
    node.add_input(operand);
  return node;
}

/// Changes the operator and operands of a node. Its control operands stay the same.
void StackRewriter::become(int id, const char *op, std::initializer_list<std::string> read) {
  NodeDef &node = mutate(id);
  const NodeDef before = node;
  node.set_op(op);
  node.clear_input();
  node.clear_attr();
  for (const std::string &operand : read)
    node.add_input(operand);
  for (const std::string &operand : before.input())
    if (StringRef(operand).starts_with("^"))
      node.add_input(operand);
}

//===----------------------------------------------------------------------===//
// 3. The list
//===----------------------------------------------------------------------===//

/// Adds nodes that carry the list, which the Enter reads, from iteration to iteration. The caller adds the value for
/// the next iteration.
StackRewriter::Carried StackRewriter::carry(const Access &access) {
  const StringRef name = nameOf(access.node);
  NodeDef &next = add(name, "next", "NextIteration", {});
  NodeDef &merge = add(name, "merge", "Merge", {nameOf(access.enter).str(), next.name()});
  NodeDef &leaving = add(name, "switch", "Switch", {merge.name(), nameOf(access.condition).str()});
  return {next, leaving.name() + ":1", leaving};
}

LogicalResult StackRewriter::rewrite(int stack) {
  SmallVector<Access, 1> pushes, pops;
  if (failed(findAccesses(stack, pushes, pops)))
    return failure();
  if (pushes.size() != 1 || pops.size() > 1) {
    const bool arePushes = pushes.size() > 1;
    const ArrayRef<Access> several = arePushes ? pushes : pops;
    if (several.size() < 2)
      return error(stack) << "must have a StackPushV2, but has none; export the graph with the loop that pushes to it";
    return error(several[0].node) << quote(several[0].node) << " and " << quote(several[1].node) << " must not "
                                  << (arePushes ? "push to" : "pop from") << " the same stack " << quote(stack)
                                  << "; save the graph with gradients of one loss, computed once";
  }
  const Access push = pushes.front();
  if (graph.getNode(push.node).operands.size() != 2)
    return error(push.node) << "must have 2 operands, a stack and a value, but has "
                            << graph.getNode(push.node).operands.size();
  const tensorflow::AttrValue *stated = findAttribute(*graph.getNode(push.node).proto, "T");
  const tensorflow::DataType type = stated ? stated->type() : tensorflow::DT_FLOAT;

  NodeDef &any = add(nameOf(stack), "any_shape", "Const", {});
  addAttribute(any, "dtype").set_type(tensorflow::DT_INT32);
  tensorflow::TensorProto &number = *addAttribute(any, "value").mutable_tensor();
  number.set_dtype(tensorflow::DT_INT32);
  number.mutable_tensor_shape();
  number.add_int_val(-1);
  become(stack, "EmptyTensorList", {any.name(), any.name()});
  addAttribute(mutate(stack), "element_dtype").set_type(type);

  const std::string value = graph.getText(graph.getNode(push.node).operands[1]);
  const Carried pushing = carry(push);
  become(push.node, "TensorListPushBack", {pushing.value, value});
  addAttribute(mutate(push.node), "element_dtype").set_type(type);
  lists.push_back({&pushing.next, nameOf(push.node).str()});
  replaced[nameOf(push.node)] = value;
  if (pops.empty())
    return success();

  const Access pop = pops.front();
  const NodeDef &exit = add(nameOf(push.node), "exit", "Exit", {pushing.leaving.name()});
  mutate(pop.enter).set_input(0, exit.name());
  const Carried popping = carry(pop);
  become(pop.node, "TensorListPopBack", {popping.value, any.name()});
  addAttribute(mutate(pop.node), "element_dtype").set_type(type);
  lists.push_back({&popping.next, nameOf(pop.node).str()});
  replaced[nameOf(pop.node)] = nameOf(pop.node).str() + ":1";
  return success();
}

void StackRewriter::finish() {
  for (NodeDef &node : *proto.mutable_node())
    for (std::string &operand : *node.mutable_input()) {
      // The pushed value may itself be the result of another push or pop.
      for (bool isFound = true; isFound;) {
        std::optional<TensorName> tensor = parseTensorName(operand);
        auto other = tensor ? replaced.find(tensor->node) : replaced.end();
        isFound = other != replaced.end() && other->second != operand;
        if (isFound)
          operand = other->second;
      }
    }
  for (auto &[next, list] : lists)
    next->add_input(list);
  for (NodeDef &node : *proto.mutable_node())
    if (isClose(node.op())) {
      node.set_op("NoOp");
      node.clear_input();
      node.clear_attr();
    }
}

} // namespace

LogicalResult replaceGradientStacks(tensorflow::GraphDef &proto, Location modelLoc) {
  if (llvm::none_of(proto.node(), [](const NodeDef &node) { return isStack(node.op()); }))
    return success();
  FailureOr<CheckedGraph> graph = CheckedGraph::read(proto, modelLoc);
  if (failed(graph))
    return failure();
  StackRewriter rewriter(proto, *graph);
  bool isRefused = false; // report all errors
  for (int id = 0, count = int(graph->getNodes().size()); id < count; ++id)
    isRefused |= isStack(graph->getNode(id).getOp()) && failed(rewriter.rewrite(id));
  if (isRefused)
    return failure();
  rewriter.finish();
  return success();
}

} // namespace nacre::importer::tensorflow_format
