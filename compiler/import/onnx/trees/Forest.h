// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees of an ensemble, read from the attributes of its node and checked.
//
// The nodes of all trees are in one list, leaves first, and refer to branches by index. Attributes come from strangers,
// so ids may be invalid and cycles are possible. Nodes may share branches: LightGBM's splits by category become chains
// of comparisons with one true branch.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TREES_FOREST_H
#define NACRE_COMPILER_IMPORT_ONNX_TREES_FOREST_H

#include "compiler/import/binding/OperandBinder.h"

#include <vector>

namespace nacre::importer::onnx_format::trees {

/// Comparison of a feature with the split of a node.
enum class NodeMode { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Leaf };

struct TreeNode {
  NodeMode mode = NodeMode::Leaf;
  int64_t feature = 0;
  double split = 0;
  bool isMissingTrue = false;        ///< NaN takes the true branch
  int32_t onTrue = -1, onFalse = -1; ///< indices of nodes; a leaf has its own
};

struct LeafScore {
  int32_t leaf;
  int64_t target;
  double weight;
};

struct Forest {
  std::vector<TreeNode> nodes; ///< leaves first
  int64_t leafCount = 0;
  std::vector<int32_t> roots;    ///< roots of the trees
  int64_t depth = 0;             ///< number of branches on the longest path from a root to a leaf
  std::vector<LeafScore> scores; ///< a leaf may have one for each target
};

/// Bounds that a forest must respect.
struct ForestBounds {
  int64_t features; ///< number of features of a row
  int64_t targets;
};

/// Returns the forest of TreeEnsembleRegressor (`scored` is "target") or TreeEnsembleClassifier ("class"). Errors name
/// the tree and the node.
mlir::FailureOr<Forest> readForest(OperandBinder &node, llvm::StringRef scored, ForestBounds bounds);

/// Returns the forest of TreeEnsemble, which numbers branches and leaves separately.
mlir::FailureOr<Forest> readNumberedForest(OperandBinder &node, ForestBounds bounds);

/// Returns the attribute `name`, or the tensor whose name has the suffix `_as_tensor`; empty if both are missing.
mlir::FailureOr<llvm::SmallVector<double>> readNumbers(OperandBinder &node, llvm::StringRef name);

} // namespace nacre::importer::onnx_format::trees

#endif // NACRE_COMPILER_IMPORT_ONNX_TREES_FOREST_H
