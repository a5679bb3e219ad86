// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model's nodes with their operators and shapes, recorded during the import for reports. Operators of `nn` have
// their own layouts, and are folded during the import. So only the importer sees values in the model's layout.

#ifndef NACRE_COMPILER_IMPORT_MODEL_IMPORTEDNODES_H
#define NACRE_COMPILER_IMPORT_MODEL_IMPORTEDNODES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace nacre::importer {

class GraphView;
struct GraphNode;

/// Node of a model. `weights` are the shapes of operands that are known at compile time.
struct ImportedNode {
  using Shape = std::vector<int64_t>;
  std::string name, op; ///< printable texts
  std::vector<Shape> inputs, weights, outputs;
};

/// Nodes in the order of their import. A node that belongs to several entries occurs once.
class ImportedNodes {
public:
  /// Adds a node of `graph`. Missing operands and unused results are null.
  void add(const GraphView &graph, const GraphNode &node, llvm::ArrayRef<mlir::Value> operands,
           llvm::ArrayRef<mlir::Value> results);

  const std::vector<ImportedNode> &getNodes() const { return nodes; }

private:
  std::vector<ImportedNode> nodes;
  llvm::StringSet<> names;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_IMPORTEDNODES_H
