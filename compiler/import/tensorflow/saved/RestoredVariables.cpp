// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the tensor of a checkpoint for each variable of a graph.
//
// How:  1. operands, through nodes that only pass them on,
//       2. assignments.

#include "compiler/import/tensorflow/saved/RestoredVariables.h"

using namespace llvm;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Operands
//===----------------------------------------------------------------------===//

bool isAnyOf(const CheckedNode &node, ArrayRef<StringRef> ops) { return is_contained(ops, node.getOp()); }

/// Returns the index of the operand that a node passes on unchanged as its result `result`. Such nodes also lead into
/// branches and through loops. Returns nullopt if the node computes.
std::optional<size_t> findPassed(const CheckedGraph &graph, const CheckedNode &node, int result) {
  constexpr StringRef passing[] = {"Identity", "StopGradient",  "DisableCopyOnRead", "Switch",  "Enter",
                                   "Exit",     "NextIteration", "RefIdentity",       "RefEnter"};
  auto place = static_cast<size_t>(isAnyOf(node, {"IdentityN"}) ? result : 0);
  if (node.operands.size() <= place)
    return std::nullopt;
  // A Merge of a loop passes on its initial value. A handle keeps that value in all iterations.
  auto leadsBack = [&](TensorId operand) { return isAnyOf(graph.getNode(operand.node), {"NextIteration"}); };
  bool begins = isAnyOf(node, {"Merge"}) && !leadsBack(node.operands[0]) && llvm::any_of(node.operands, leadsBack);
  return begins || isAnyOf(node, {"IdentityN"}) || isAnyOf(node, passing) ? std::optional(place) : std::nullopt;
}

/// Returns the tensor from which `tensor` comes, through nodes that only pass it on.
TensorId passThrough(const CheckedGraph &graph, TensorId tensor) {
  constexpr int maxSteps = 512; // limits the walk in cycles; each function adds only a few steps
  for (int step = 0; step < maxSteps; ++step) {
    const CheckedNode &node = graph.getNode(tensor.node);
    std::optional<size_t> passed = findPassed(graph, node, tensor.result);
    if (!passed)
      break;
    tensor = node.operands[*passed];
  }
  return tensor;
}

/// Returns the string `index` of a constant. If the constant stores fewer strings, the last one is repeated.
std::optional<std::string> getString(const CheckedGraph &graph, TensorId tensor, int index) {
  const CheckedNode &node = graph.getNode(passThrough(graph, tensor).node);
  const tensorflow::AttrValue *value = node.getOp() == "Const" ? findAttribute(*node.proto, "value") : nullptr;
  if (!value || value->tensor().string_val_size() == 0)
    return std::nullopt;
  return value->tensor().string_val(std::min(index, value->tensor().string_val_size() - 1));
}

/// Returns the tensor of the checkpoint that a restoring operator reads.
std::optional<CheckpointPart> findPart(const CheckedGraph &graph, TensorId value) {
  value = passThrough(graph, value);
  const CheckedNode &restore = graph.getNode(value.node);
  if (restore.getOp() != "RestoreV2" || restore.operands.size() != 3)
    return std::nullopt;
  std::optional<std::string> key = getString(graph, restore.operands[1], value.result);
  std::optional<std::string> slice = getString(graph, restore.operands[2], value.result);
  if (!key || !slice)
    return std::nullopt;
  return CheckpointPart{std::move(*key), std::move(*slice)};
}

//===----------------------------------------------------------------------===//
// 2. Assignments
//===----------------------------------------------------------------------===//

bool isAssignment(const CheckedNode &node) {
  return node.operands.size() >= 2 && isAnyOf(node, {"Assign", "AssignVariableOp"});
}

/// Returns a node and all nodes that it waits for.
std::vector<int> findAwaited(const CheckedGraph &graph, int last) {
  std::vector<bool> isReached(graph.getNodes().size(), false);
  std::vector<int> reached = {last};
  isReached[last] = true;
  for (size_t next = 0; next < reached.size(); ++next) {
    auto reach = [&](int node) {
      if (!isReached[node])
        reached.push_back(node);
      isReached[node] = true;
    };
    const CheckedNode &node = graph.getNode(reached[next]);
    for (TensorId operand : node.operands)
      reach(operand.node);
    llvm::for_each(node.controls, reach);
  }
  return reached;
}

} // namespace

bool isVariable(const CheckedNode &node) {
  return isAnyOf(node, {"VarHandleOp", localVariableOp, "VariableV2", "Variable", "AutoReloadVariable"});
}

std::optional<int> findVariable(const CheckedGraph &graph, TensorId handle) {
  handle = passThrough(graph, handle);
  return isVariable(graph.getNode(handle.node)) ? std::optional(handle.node) : std::nullopt;
}

std::optional<int> findConstant(const CheckedGraph &graph, TensorId tensor) {
  tensor = passThrough(graph, tensor);
  return graph.getNode(tensor.node).getOp() == "Const" ? std::optional(tensor.node) : std::nullopt;
}

DenseMap<int, CheckpointPart> findRestoredVariables(const CheckedGraph &graph, std::optional<int> restoreNode) {
  DenseMap<int, CheckpointPart> parts;
  for (int id : restoreNode ? findAwaited(graph, *restoreNode) : graph.getOrder().vec()) {
    const CheckedNode &node = graph.getNode(id);
    std::optional<int> variable = isAssignment(node) ? findVariable(graph, node.operands[0]) : std::nullopt;
    std::optional<CheckpointPart> part = variable ? findPart(graph, node.operands[1]) : std::nullopt;
    if (part)
      parts.try_emplace(*variable, std::move(*part));
  }
  return parts;
}

DenseMap<int, TensorId> findInitialValues(const CheckedGraph &graph) {
  DenseMap<int, TensorId> values;
  for (int id : graph.getOrder()) {
    const CheckedNode &node = graph.getNode(id);
    std::optional<int> variable = isAssignment(node) ? findVariable(graph, node.operands[0]) : std::nullopt;
    if (variable && graph.getNode(passThrough(graph, node.operands[1]).node).getOp() != "RestoreV2")
      values.try_emplace(*variable, node.operands[1]);
  }
  return values;
}

bool isMadeOfConstants(const CheckedGraph &graph, TensorId tensor) {
  std::vector<bool> isReached(graph.getNodes().size(), false);
  std::vector<int> pending = {tensor.node};
  while (!pending.empty()) {
    int id = pending.back();
    pending.pop_back();
    if (isReached[id])
      continue;
    isReached[id] = true;
    const CheckedNode &node = graph.getNode(id);
    if (isVariable(node) || (node.operands.empty() && node.getOp() != "Const") || node.getOp().contains("Random") ||
        node.getOp().contains("Normal") || node.getOp().contains("Stateless"))
      return false;
    for (TensorId operand : node.operands)
      pending.push_back(operand.node);
  }
  return true;
}

} // namespace nacre::importer::tensorflow_format
