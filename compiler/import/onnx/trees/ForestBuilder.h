// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the trees of an ensemble, and numbers their nodes as Forest does.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTBUILDER_H
#define NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTBUILDER_H

#include "compiler/import/onnx/trees/Forest.h"

#include <string>
#include <vector>

namespace nacre::importer::onnx_format::trees {

/// Builds a forest from nodes in the order of the file, and their names in messages.
class ForestBuilder {
public:
  ForestBuilder(OperandBinder &node, ForestBounds bounds) : node(node), bounds(bounds) {}

  Forest forest;
  std::vector<std::string> names; ///< names of the nodes in messages
  std::vector<int64_t> trees;     ///< index of the tree of each node, if the file states it

  mlir::InFlightDiagnostic error(size_t index) { return node.error() << names[index] << " "; }

  /// Returns the forest after checks. If `trees` are known, the root of each tree is its only node that is not a branch
  /// of another. Fails after an error.
  mlir::FailureOr<Forest> finish();

private:
  mlir::LogicalResult checkNodes();
  /// Sorts `order` so that nodes come after their branches. Reports an error if there is a cycle.
  mlir::LogicalResult sort();
  mlir::LogicalResult findRoots();
  /// Computes the depth. Since nodes may share branches, the depth of a node is the length of the longest path to it.
  mlir::LogicalResult measure();
  mlir::LogicalResult checkScores();
  void putLeavesFirst();

  OperandBinder &node;
  ForestBounds bounds;
  std::vector<int32_t> order;
};

} // namespace nacre::importer::onnx_format::trees

#endif // NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTBUILDER_H
