// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// New nodes that replace a functional branch or loop. Each has the name of the replaced node as a prefix.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_LOWEREDNODES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_LOWEREDNODES_H

#include "tensorflow.pb.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace nacre::importer::tensorflow_format {

using Tensors = std::vector<std::string>; ///< tensors by name, and control operands

/// Returns the name of a result of `node`.
std::string at(const tensorflow::NodeDef *node, size_t result);

/// Returns the names of one result of each node.
Tensors readAll(llvm::ArrayRef<tensorflow::NodeDef *> nodes, size_t result);

class LoweredNodes {
protected:
  /// Adds nodes by `addNode`, which names a node as requested, or similarly.
  LoweredNodes(const tensorflow::NodeDef &replaced,
               llvm::function_ref<tensorflow::NodeDef *(const std::string &)> addNode);

  tensorflow::NodeDef *add(const std::string &name, const char *op, const Tensors &read);
  /// Adds a node that reads operands from outside. It waits for all nodes that the replaced node waits for.
  tensorflow::NodeDef *addFirst(const std::string &name, const char *op, const Tensors &read);
  tensorflow::NodeDef *addPivot(const std::string &name, tensorflow::NodeDef *source, size_t result);
  std::vector<tensorflow::NodeDef *> addSwitches(const std::string &name, const Tensors &values,
                                                 const std::string &predicate);

  const tensorflow::NodeDef node; ///< copy of the replaced node
  Tensors operands, controls;     ///< its operands

private:
  llvm::function_ref<tensorflow::NodeDef *(const std::string &)> addNode;
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_LOWEREDNODES_H
