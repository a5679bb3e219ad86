// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LoweredNodes.h.

#include "compiler/import/tensorflow/saved/LoweredNodes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using llvm::ArrayRef;
using llvm::StringRef;
using tensorflow::NodeDef;

namespace nacre::importer::tensorflow_format {

std::string at(const NodeDef *node, size_t result) {
  return result ? node->name() + ":" + std::to_string(result) : node->name();
}

Tensors readAll(ArrayRef<NodeDef *> nodes, size_t result) {
  Tensors tensors;
  for (const NodeDef *node : nodes)
    tensors.push_back(at(node, result));
  return tensors;
}

LoweredNodes::LoweredNodes(const NodeDef &replaced, llvm::function_ref<NodeDef *(const std::string &)> addNode)
    : node(replaced), addNode(addNode) {
  for (const std::string &operand : node.input())
    (StringRef(operand).starts_with("^") ? controls : operands).push_back(operand);
}

NodeDef *LoweredNodes::add(const std::string &name, const char *op, const Tensors &read) {
  NodeDef *added = addNode(node.name() + "/" + name);
  added->set_op(op);
  for (const std::string &operand : read)
    added->add_input(operand);
  return added;
}

NodeDef *LoweredNodes::addFirst(const std::string &name, const char *op, const Tensors &read) {
  NodeDef *added = add(name, op, read);
  for (const std::string &control : controls)
    added->add_input(control);
  return added;
}

NodeDef *LoweredNodes::addPivot(const std::string &name, NodeDef *source, size_t result) {
  return add(name, "Identity", {at(source, result)});
}

std::vector<NodeDef *> LoweredNodes::addSwitches(const std::string &name, const Tensors &values,
                                                 const std::string &predicate) {
  std::vector<NodeDef *> switches;
  for (auto [index, value] : llvm::enumerate(values))
    switches.push_back(addFirst(name + std::to_string(index), "Switch", {value, predicate}));
  return switches;
}

} // namespace nacre::importer::tensorflow_format
