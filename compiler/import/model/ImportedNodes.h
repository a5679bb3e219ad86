// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model's nodes as they are imported, with operator and shapes, for reports. Operators of `nn` have their own
// layouts, and are folded during the import. Only the importer sees the values between nodes in the model's layout.

#ifndef NACRE_COMPILER_IMPORT_MODEL_IMPORTEDNODES_H
#define NACRE_COMPILER_IMPORT_MODEL_IMPORTEDNODES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace nacre::importer {

class GraphView;
struct GraphNode;

/// Node of a model. `weights` are the operands that are known at compile time.
struct ImportedNode {
  using Shape = std::vector<int64_t>;
  std::string name, op; ///< printable texts
  std::vector<Shape> inputs, weights, outputs;
};

/// Nodes in the order in which they are imported. A node of several entries occurs once.
class ImportedNodes {
public:
  /// Adds a node of `graph`. Null stands for missing operands and unused results.
  void add(const GraphView &graph, const GraphNode &node, llvm::ArrayRef<mlir::Value> operands,
           llvm::ArrayRef<mlir::Value> results);

  const std::vector<ImportedNode> &getNodes() const { return nodes; }

private:
  std::vector<ImportedNode> nodes;
  llvm::StringSet<> names;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_IMPORTEDNODES_H
